// In each turn another workgroup overwrites its memory; the others keep theirs.
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 1000 1000 1000 1000 719 722 725 728 456 462 468 474 108 117 126 135 144 153 162 171
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
    for (var turn = 0u; turn < 3; turn++) {
        if turn == 0 { tile[lane] = id.x; }
        gridBarrier();
        if group.x == turn {
            tile[lane] = 100 + turn;
            workgroupBarrier();
            out[id.x] += tile[3 - lane];
        }
        gridBarrier();
        out[id.x] += tile[lane] * 3;
    }
}
