// Determinants, and a transposed matrix, from uniforms with columns of 8, 12 and 16 bytes.
// bind two = f32 3 1 -5 5
// bind three = f32 -4 -3 4 0 -5 -1 -5 0 -1 2 4 0
// bind four = f32 1 1 1 4 2 -3 0 -4 -5 -3 2 -2 -1 5 1 5
// bind wide = f32 0 4 7 3 2 8 4 -2
// bind out = zeros f32 3
// bind turned = zeros f32 8
// expect out = f32 20 -143 141
// expect turned = f32 0 2 4 8 7 4 3 -2
@group(0) @binding(0) var<uniform> two: mat2x2f;
@group(0) @binding(1) var<uniform> three: mat3x3f;
@group(0) @binding(2) var<uniform> four: mat4x4f;
@group(0) @binding(3) var<uniform> wide: mat2x4f;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<storage, read_write> turned: mat4x2f;
@compute @workgroup_size(1) fn main() {
    out[0] = determinant(two);
    out[1] = determinant(three);
    out[2] = determinant(four);
    turned = transpose(wide);
}
