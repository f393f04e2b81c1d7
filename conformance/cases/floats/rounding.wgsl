// floor, ceil, trunc and round (ties to even), signed zeros kept.
// bind a = f32 -0.5 0.5 1.5 2.5 -1.5 8388609 -0
// bind out = zeros u32 28
// expect out = u32 3212836864 0 1065353216 1073741824 3221225472 1258291201 2147483648 2147483648 1065353216 1073741824 1077936128 3212836864 1258291201 2147483648 2147483648 0 1065353216 1073741824 3212836864 1258291201 2147483648 2147483648 0 1073741824 1073741824 3221225472 1258291201 2147483648
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(7) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = bitcast<u32>(floor(a[i]));
    out[i + 7] = bitcast<u32>(ceil(a[i]));
    out[i + 14] = bitcast<u32>(trunc(a[i]));
    out[i + 21] = bitcast<u32>(round(a[i]));
}
