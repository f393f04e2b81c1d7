// The bits of any NaN of f16 are the canonical ones where they can be seen, in either half of a word.
// bind x = u32 15360 31745 64513 65535 2080440320 4294901760 4294967295 2147450880
// bind out = zeros u32 16
// expect out = u32 15360 32256 32256 32256 2113929216 2113929216 2113961472 2113961984 15360 32256 32256 32256 2113929216 2113929216 2113961472 2113961984
enable f16;
@group(0) @binding(0) var<storage> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    let halves = bitcast<vec2h>(x[i]);
    out[i] = bitcast<u32>(halves);
    let swapped = bitcast<u32>(halves.yx);
    out[i + 8] = (swapped >> 16) | (swapped << 16);
}
