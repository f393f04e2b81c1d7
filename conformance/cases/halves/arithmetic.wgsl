// + - * / of f16 are rounded to nearest even, to infinity from 65520 on, and to subnormals.
// bind a = f16 1 2048 1 65504 0x1p-14 0.1 -0.0 inf
// bind b = f16 3 1 -1 16 0x1.8p-10 0.2 0 -inf
// bind out = zeros f16 32
// expect out = f16 4 2048 0 inf 0x1.900p-10 0x1.330p-2 0 nan -2 2047 2 65472 -0x1.700p-10 -0x1.998p-4 -0.0 inf 3 2048 -1 inf 0x1.000p-23 0x1.478p-6 -0.0 -inf 0x1.554p-2 2048 -1 4094 0x1.554p-5 0x1.000p-1 nan nan
enable f16;
@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
    out[i + 8] = a[i] - b[i];
    out[i + 16] = a[i] * b[i];
    out[i + 24] = a[i] / b[i];
}
