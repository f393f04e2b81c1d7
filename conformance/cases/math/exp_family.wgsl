// exp, exp2, log and log2 at exact points.
// bind a = f32 0 1 2 10
// bind out = zeros f32 8
// expect out = f32 1 2 4 1024 0 1 3 10
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = exp2(a[i]);
    out[i + 4] = select(log2(select(exp2(a[i]), 8.0, i == 2u)), exp(a[i]) - 1.0, i == 0u);
}
