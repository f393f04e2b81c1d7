// workgroupUniformLoad waits for all, and loops and branches may depend on what it gives.
// workgroups 3
// bind out = zeros u32 12
// expect out = u32 6 11 7 3 6 11 7 3 6 11 7 3
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
struct Range {
    first: u32,
    count: u32,
}
var<workgroup> rounds: u32;
var<workgroup> ranges: array<Range, 3>;
var<workgroup> sum: atomic<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32,
                                    @builtin(workgroup_id) group: vec3u) {
    if i == 3 {
        rounds = 3;
        ranges[1] = Range(5, 7);
    }
    var turns = 0u;
    for (var round = 0u; round < workgroupUniformLoad(&rounds); round++) {
        atomicAdd(&sum, round);
        turns += workgroupUniformLoad(&sum) / 2;
        workgroupBarrier();
    }
    let range = workgroupUniformLoad(&ranges[1]);
    if range.count == 7 {
        workgroupBarrier();
        out[group.x * 4 + i] = select(select(range.count, 3u, i == 3), select(11u, turns - 2, i == 0), i < 2);
    }
}
