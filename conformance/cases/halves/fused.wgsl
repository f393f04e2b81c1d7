// fma of f16 rounds once: the product isn't rounded, and neither is a sum that f32 can't hold.
// bind a = f16 0x1.004p0 0x1.004p0 683 -683 0x1.ffcp15 0x1p-24 3 0.1
// bind b = f16 0x1.004p0 0x1.ffcp0 3 3 0x1.ffcp15 0x1p-24 5 0.3
// bind c = f16 -1 -2 0x1p-24 0x1p-24 -inf 0x1.004p0 -15 -0.03
// bind out = zeros f16 16
// expect out = f16 0x1.000p-9 0x1.ff8p-11 2050 -2048 -inf 0x1.004p+0 0 -0x1.400p-20 0x1.000p-9 0 2048 -2048 nan 0x1.004p+0 0 0
enable f16;
@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read> c: array<f16>;
@group(0) @binding(3) var<storage, read_write> out: array<f16>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = fma(a[i], b[i], c[i]);
    out[i + 8] = a[i] * b[i] + c[i];
}
