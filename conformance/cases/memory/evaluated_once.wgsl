// The left side of a compound assignment is evaluated once, before the right side.
// bind out = zeros u32 6
// expect out = u32 10 15 0 2 1 2
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> calls: u32;
fn next() -> u32 {
    calls++;
    return calls - 1;
}
@compute @workgroup_size(1) fn main() {
    out[next()] += 10;
    out[next()] = next() + 13;
    out[3] = 1;
    out[next()] += 1;
    out[4] = u32(calls == 4);
    var v = vec3u(1, 2, 3);
    var i = 1;
    v[i] *= v[i - 1];
    out[5] = v.y;
}
