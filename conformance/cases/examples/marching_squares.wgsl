// Marching squares: a constant table says which edges of a cell a contour crosses; each cell writes its segments.
// workgroups 2
// bind field = random f32 81 7
// bind segments = zeros f32 512
// bind counts = zeros u32 64
struct Segment { a: vec2f, b: vec2f }
const edges = array<vec4i, 16>(
    vec4i(-1), vec4i(3, 0, -1, -1), vec4i(0, 1, -1, -1), vec4i(3, 1, -1, -1),
    vec4i(1, 2, -1, -1), vec4i(3, 0, 1, 2), vec4i(0, 2, -1, -1), vec4i(3, 2, -1, -1),
    vec4i(2, 3, -1, -1), vec4i(2, 0, -1, -1), vec4i(0, 1, 2, 3), vec4i(2, 1, -1, -1),
    vec4i(1, 3, -1, -1), vec4i(1, 0, -1, -1), vec4i(0, 3, -1, -1), vec4i(-1));
const corners = array(vec2u(0, 0), vec2u(1, 0), vec2u(1, 1), vec2u(0, 1));
@group(0) @binding(0) var<storage, read> field: array<f32, 81>;
@group(0) @binding(1) var<storage, read_write> segments: array<Segment>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
fn at(cell: vec2u, corner: u32) -> f32 {
    let p = cell + corners[corner];
    return field[p.y * 9 + p.x];
}
fn crossing(cell: vec2u, edge: i32) -> vec2f {
    let first = u32(edge) & 3;
    let second = (first + 1) & 3;
    let a = at(cell, first);
    let b = at(cell, second);
    return vec2f(cell) + mix(vec2f(corners[first]), vec2f(corners[second]), (0.5 - a) / (b - a));
}
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {
    let cell = vec2u(id.x % 8, id.x / 8);
    var which = 0u;
    for (var corner = 0u; corner < 4; corner++) { which |= u32(at(cell, corner) > 0.5) << corner; }
    let e = edges[which];
    var n = 0u;
    for (var k = 0u; k < 4 && e[k] >= 0; k += 2) {
        segments[2 * id.x + n] = Segment(crossing(cell, e[k]), crossing(cell, e[k + 1]));
        n++;
    }
    counts[id.x] = n;
}
