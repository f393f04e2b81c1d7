// A constant table of vectors is indexed by a variable, component by component too; beyond its end it is zero.
// workgroups 2
// bind out = zeros i32 32
const edges = array(vec4i(-1, -1, -1, -1), vec4i(3, 0, -1, -1), vec4i(0, 1, -1, -1), vec4i(3, 1, -1, -1),
                    vec4i(1, 2, -1, -1), vec4i(3, 0, 1, 2));
const normals = array<vec3f, 4>(vec3f(1, 0, 0), vec3f(), vec3f(0.5), vec3f(vec2f(0.25, -1), 2));
const flags = array(vec3(true, false, true), vec3<bool>(), vec3<bool>(true));
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let e = edges[id.x];
    out[4 * id.x] = e.x + 10 * e.y + 100 * e.z + 1000 * e.w;
    out[4 * id.x + 1] = edges[5][id.x];
    out[4 * id.x + 2] = i32(4 * dot(normals[id.x], vec3f(1, 10, 100)));
    let f = flags[id.x];
    out[4 * id.x + 3] = select(0, 1, f.x) + select(0, 2, f.y) + select(0, 4, flags[id.x & 1][id.x]);
}
