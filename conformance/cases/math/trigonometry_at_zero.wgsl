// sin, tan, asin, atan, sinh and tanh keep zero and its sign.
// bind a = f32 0 -0
// bind out = zeros u32 12
// expect out = u32 0 2147483648 0 2147483648 0 2147483648 0 2147483648 0 2147483648 0 2147483648
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = bitcast<u32>(sin(a[i]));
    out[i + 2] = bitcast<u32>(tan(a[i]));
    out[i + 4] = bitcast<u32>(asin(a[i]));
    out[i + 6] = bitcast<u32>(atan(a[i]));
    out[i + 8] = bitcast<u32>(sinh(a[i]));
    out[i + 10] = bitcast<u32>(tanh(a[i]));
}
