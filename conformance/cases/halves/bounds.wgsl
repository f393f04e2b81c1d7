// min, max and clamp of f16 give the number if one side is NaN, also where the bounds are constants.
// bind a = f16 0.5 2 -3 nan inf -inf -0.0 1
// bind out = zeros f16 32
// expect out = f16 0.5 1 -3 1 1 -inf -0.0 1 1 2 1 1 inf 1 1 1 -1 -1 -3 -1 -1 -inf -1 -1 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5
enable f16;
@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;
fn one(is_one: bool) -> f16 { return f16(is_one); }
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = clamp(f16(), one(true), a[i]);
    out[i + 8] = max(a[i], 1.0h);
    out[i + 16] = min(a[i], -1.0h);
    out[i + 24] = clamp(f16(), one(true), a[0]);
}
