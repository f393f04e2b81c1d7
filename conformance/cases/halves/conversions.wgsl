// Numbers convert to f16 rounded to nearest even, and from f16 truncated and clamped to values that both types have.
// bind numbers = f32 1.00048828125 1.00146484375 65519.9 65520 -1e30 0x1p-25 0x1.8p-25 nan
// bind ints = i32 2049 2051 65519 65520 -2147483648 -3 0 1
// bind halves = f16 3.9 -3.9 65504 inf -inf nan 0.99 -0.0
// bind out = zeros f16 24
// bind whole = zeros i32 24
// expect out = f16 1 0x1.008p0 65504 inf -inf 0 0x1p-24 nan 2048 2052 65504 inf -inf -3 0 1 2048 2052 65504 inf inf inf 0 1
// expect whole = i32 3 -3 65504 65504 -65504 0 0 0 3 0 65504 65504 0 0 0 0 1 1 1 1 1 1 1 0
enable f16;
@group(0) @binding(0) var<storage, read> numbers: array<f32>;
@group(0) @binding(1) var<storage, read> ints: array<i32>;
@group(0) @binding(2) var<storage, read> halves: array<f16>;
@group(0) @binding(3) var<storage, read_write> out: array<f16>;
@group(0) @binding(4) var<storage, read_write> whole: array<i32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f16(numbers[i]);
    out[i + 8] = f16(ints[i]);
    out[i + 16] = f16(u32(ints[i]));
    whole[i] = i32(halves[i]);
    whole[i + 8] = i32(u32(halves[i]));
    whole[i + 16] = i32(bool(halves[i]));
}
