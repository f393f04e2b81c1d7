// Parameters and lets are values; shadowing hides a name and doesn't change it.
// bind out = zeros u32 3
// expect out = u32 5 6 1
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn next(v: u32) -> u32 { var c = v; c++; return c; }
@compute @workgroup_size(1) fn main() {
    var v = 5u;
    let old = v;
    v = next(v);
    out[0] = old;
    out[1] = v;
    let shadow = 1u;
    { let shadow = 2u; v += shadow; }
    out[2] = shadow;
}
