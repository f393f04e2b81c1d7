// sign and step.
// bind a = f32 -3 0 2 0.5
// bind out = zeros f32 8
// expect out = f32 -1 0 1 1 0 0 1 1
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = sign(a[i]);
    out[i + 4] = step(0.5, a[i]);
}
