// A constant zero times infinity is NaN in a loop of many turns.
// bind y = f32 1 5 0 inf
// expect y = f32 1 5 nan inf
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1) fn main() {
    var v = y[0];
    var k = u32(y[1]);
    loop {
        v = 0.0f * v + v * 1e30f;
        if k == 0u { break; }
        k = k - 1u;
    }
    y[2] = v;
}
