// Minimum and maximum of f32, with NaN and zeros of both signs among them.
// bind a = random u32 128 7
// bind out = zeros u32 512
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let f = f32(i32(x)) * 0.001;
    let first = i * 4u;
    let odd = select(f, bitcast<f32>(0x7fc00000u | (x & 0u)), x % 3u == 0u);
    let zero = bitcast<f32>(x & 0x80000000u);
    out[first] = bitcast<u32>(subgroupMin(odd));
    out[first + 1u] = bitcast<u32>(subgroupMax(odd));
    out[first + 2u] = bitcast<u32>(subgroupMin(zero));
    out[first + 3u] = bitcast<u32>(subgroupMax(zero));
}
