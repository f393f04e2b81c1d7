struct Node { key: u32, @align(16) next: vec2i, @size(12) weight: f32 }
@group(0) @binding(0) var<storage, read_write> nodes: array<Node, 5>;
@group(1) @binding(2) var<uniform> limits: array<vec4u, 3>;
@group(2) @binding(0) var<storage, read_write> out: array<array<i32, 3>>;
var<private> kept = array<vec2f, 3>(vec2f(1), vec2f(2, -3), vec2f());
@compute @workgroup_size(2, 2, 2) fn main(@builtin(local_invocation_id) l: vec3u, @builtin(num_workgroups) n: vec3u) {
    let k = l.x + l.y * 2 + l.z * 4;
    var node = nodes[k];
    node.next.x = -node.next.y;
    kept[k].y += node.weight;
    if (k < limits[l.y][l.x]) { nodes[k] = node; }
    out[k][node.key] = i32(kept[k % 4].y) + i32(n.x);
    { let k = vec3(4, 5, 6); out[1][2] |= k[l.x]; }
    var copy = kept;
    copy[l.y] = copy[l.x];
    _ = copy[2].xy;
}
