// The zero of a load out of bounds gives NaN with infinity.
// bind a = f32 inf 2 3
// bind out = zeros f32 5
// expect out = f32 nan nan nan nan nan
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    let v = a[0];
    var k = 7u;
    var kept = array(a[0], a[1], a[2]);
    out[0] = kept[k] * v;
    let value = array(a[0], a[1], a[2]);
    out[1] = value[k] * v;
    let vector = vec3f(a[0], a[1], a[2]);
    out[2] = vector[k] * v;
    var pairs = array(vec2f(a[0], a[1]), vec2f(a[2]));
    out[3] = pairs[k].x * v;
    var rows: array<array<f32, 2>, 3>;
    rows[0][1] = a[1];
    let row = rows[k];
    out[4] = row[1] * v;
}
