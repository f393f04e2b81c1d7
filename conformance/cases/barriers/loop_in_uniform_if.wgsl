// Barriers in a loop within an if that only some of the workgroups enter.
// bind flags = u32 1 0 1 0 1 1
// bind out = zeros u32 48
// workgroups 6
// expect out = u32 16 24 32 40 48 48 32 16 0 1 2 3 4 5 6 7 106 138 170 194 186 138 90 82 0 1 2 3 4 5 6 7 568 688 760 720 568 416 376 448 1263 1455 1487 1295 991 799 831 1023
@group(0) @binding(0) var<storage, read> flags: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 8>;
@compute @workgroup_size(8) fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32) {
    var sum = i;
    if (flags[group.x] == 1u) {
        for (var turn = 0u; turn < 3u + group.x; turn++) {
            tile[i] = sum + turn;
            workgroupBarrier();
            sum += tile[(i + 1u) % 8u];
            workgroupBarrier();
        }
    }
    out[group.x * 8u + i] = sum;
}
