// Zeros in arrays and structures, small and large, give NaN with infinity.
// bind a = f32 inf 1
// bind out = zeros f32 8
// expect out = f32 nan nan nan nan nan nan nan nan
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Pair { number: f32, other: i32 }
var<private> own: array<f32, 100>;
const large = array<f32, 100>(1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0,
    1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0,
    1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0,
    1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0, 1.5, 0,
    1.5, 0);
@compute @workgroup_size(1) fn main() {
    let v = a[0];
    var begun: array<f32, 100>;
    out[0] = begun[3] * v;
    out[1] = own[7] * v;
    var small = array(1.0f, 0.0f, 5.0f);
    small[0] = a[1];
    out[2] = small[1] * v;
    let table = array(1.0f, 0.0f, 5.0f);
    var sum = 1.0f;
    for (var i = 0u; i < 3; i++) { sum += table[i] * v; }
    out[3] = sum;
    sum = 1.0f;
    for (var i = 0u; i < 3; i++) { sum += large[i] * v; }
    out[4] = sum;
    var copy = large;
    out[5] = copy[33] * v;
    var pair = Pair(0.0, 3);
    if v < 0.0 { pair.number = v; }
    out[6] = pair.number * v;
    var begun_at = begun;
    begun_at[u32(a[1])] = 3.0;
    out[7] = begun_at[0] * v;
}
