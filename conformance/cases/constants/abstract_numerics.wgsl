// Constant expressions are evaluated in abstract precision, then converted once.
// bind out = zeros f32 4
// expect out = f32 0x1.99999ap-4 1 0x1.555556p-2 1099511627776
const third = 1.0 / 3.0;
const big = 1099511627776;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    out[0] = 0.1;
    out[1] = third * 3;
    out[2] = third;
    out[3] = f32(big);
}
