// min and max return the number if one operand is NaN; -0 is less than +0.
// bind a = f32 nan 1 -0 0 inf -inf
// bind b = f32 2 nan 0 -0 3 3
// bind out = zeros u32 12
// expect out = u32 1073741824 1065353216 2147483648 2147483648 1077936128 4286578688 1073741824 1065353216 0 0 2139095040 1077936128
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(6) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = bitcast<u32>(min(a[i], b[i]));
    out[i + 6] = bitcast<u32>(max(a[i], b[i]));
}
