// A let that is an array of vectors, or of arrays of structures with vectors, is indexed by a variable.
// bind out = zeros u32 12
// expect out = u32 1 2 3 4 5 6 0 0 16 0 31 14
struct Pair { tag: u32, v: vec3u }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {
    let t = array(vec2u(1, 2), vec2u(3, 4), vec2u(5, 6));
    out[2 * id] = t[id].x;
    out[2 * id + 1] = t[id].y;
    let pairs = array(array(Pair(7, vec3u(8, 9, 10)), Pair()), array(Pair(11, vec3u(20)), Pair(1, vec3u(12, 13, 14))));
    let pair = pairs[id >> 1][id & 1];
    out[8 + id] = pair.tag + pair.v.y;
}
