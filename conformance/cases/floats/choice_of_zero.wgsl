// Selections between -1 and 0, written in several ways, give a zero with the right sign.
// bind a = f32 -3 0 2 0.5
// bind out = zeros f32 20
// expect out = f32 -1 0 0 0 -1 -1 0 -1 -1 0 0 0 -1 0 0 0 0 1 1 1
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<private> kept: f32 = -1.0;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var chosen = 0.0;
    if a[i] < 0.0 { chosen = -1.0; }
    out[i] = chosen;
    var last = 0.0;
    for (var k = 0u; k < 2; k++) { if a[i] < f32(k) { last = -1.0; } }
    out[i + 4] = last;
    out[i + 8] = select(vec2f(0.0, 5.0), vec2f(-1.0, 3.0), a[i] < 0.0).x;
    if a[i] >= 0.0 { kept = 0.0; }
    out[i + 12] = kept;
    out[i + 16] = 1.0 + select(0.0, -1.0, a[i] < 0.0);
}
