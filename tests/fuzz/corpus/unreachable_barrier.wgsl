enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
for (var turn = 0u; turn < 3; turn++) {
if turn == 3 { tile[lane] = id.x;
}
if group.x == turn {
tile[lane] = 100 + turn;
out[id.x] += tile[3 - lane]; continue;
} else { break; }
gridBarrier();
out[id.x] += tile[lane] * 3;
}
}
