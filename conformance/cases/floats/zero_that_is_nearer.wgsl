// A zero that min, max or saturate chooses among zeros is a number like any other: 0 / 0 is NaN.
// bind out = zeros f32 4
// expect out = f32 nan nan nan -0
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    var nothing: array<f32, 5>;
    out[0] = max(nothing[1], 0.0) / nothing[2];
    out[1] = saturate(nothing[1]) % f32();
    out[2] = min(nothing[3], 0.0) / nothing[2];
    out[3] = max(nothing[3], 0.0) * -1.0;
}
