// Comparisons with NaN are false except !=; zeros are equal.
// bind a = f32 1 nan 0 2
// bind b = f32 2 nan -0 1
// bind out = zeros u32 4
// expect out = u32 14 2 41 50
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let y = b[i];
    out[i] = u32(x == y) + 2u * u32(x != y) + 4u * u32(x < y) + 8u * u32(x <= y) + 16u * u32(x > y)
        + 32u * u32(x >= y);
}
