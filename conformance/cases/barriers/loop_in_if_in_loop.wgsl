// Barriers in a loop within an if within a loop; the inner number of turns is read, and is zero for one workgroup.
// bind bounds = u32 2 0 3
// bind out = zeros u32 24
// workgroups 3
// expect out = u32 19 2 33 4 45 8 19 10 1 2 3 4 9 10 11 12 34 2 42 4 70 4 18 14
@group(0) @binding(0) var<storage, read> bounds: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 8>;
@compute @workgroup_size(8) fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32) {
    var value = i + 1u;
    for (var round = 0u; round < 4u; round++) {
        if ((round + group.x) % 2u == 1u) {
            for (var k = 0u; k < bounds[group.x]; k++) {
                tile[i] = value;
                workgroupBarrier();
                if (i % 2u == 0u) { value += tile[(i + 3u) % 8u]; } else { value ^= k; }
                workgroupBarrier();
            }
        } else if (i > 3u) {
            value += round;
        }
    }
    out[group.x * 8u + i] = value;
}
