// A buffer that is passed to a function is no larger there than the parameters on the way.
// bind large = iota u32 1024
// bind small = iota u32 512
// bind any = iota u32 7
// bind r = zeros u32 12
// expect r = u32 4096 4096 2048 1024 1024 256 28 7006 8007 256 0 13
requires buffer_view, unrestricted_pointer_parameters;
@group(0) @binding(0) var<storage, read_write> r: array<u32>;
@group(0) @binding(1) var<storage> large: buffer<4096>;
@group(0) @binding(2) var<storage> small: buffer<2048>;
@group(0) @binding(3) var<storage> any: buffer;
fn length(p: ptr<storage, buffer>) -> u32 { return bufferLength(p); }
fn through(p: ptr<storage, buffer<1024>>) -> u32 { return length(p); }
fn fixed(p: ptr<storage, buffer<256>>) -> u32 { return bufferLength(p); }
fn last(p: ptr<storage, buffer>) -> u32 {
    let a = bufferView<array<u32>>(p, 0);
    return arrayLength(a) * 1000 + a[arrayLength(a) - 1];
}
fn eighth(p: ptr<storage, buffer<32>>) -> u32 { return last(p); }
fn at(p: ptr<storage, buffer<32>>, o: u32) -> u32 { return *bufferView<u32>(p, o); }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
    r[0] = bufferLength(&large);
    r[1] = length(&large);
    r[2] = length(&small);
    r[3] = through(&large);
    r[4] = through(&small);
    r[5] = fixed(&large);
    r[6] = length(&any);
    r[7] = last(&any);
    r[8] = eighth(&large);
    let tail = bufferView<array<u32>>(&large, 3072);
    r[9] = arrayLength(tail);
    r[10] = at(&large, id.x + 32);
    r[11] = at(&large, id.x + 31) + at(&small, 24);
}
