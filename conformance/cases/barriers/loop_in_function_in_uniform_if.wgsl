// A function with barriers in its loop, which returns from the loop too, is called within an if, and within an if in it.
// bind counts = u32 0 3 1 4
// bind out = zeros u32 32
// workgroups 4
// expect out = u32 1 2 3 4 5 6 7 8 32 40 40 40 40 32 32 32 9 15 21 27 33 31 29 19 3206 4010 4014 4018 4022 3218 3214 3210
@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 8>;
fn spread(start: u32, i: u32, turns: u32) -> u32 {
    var sum = start;
    for (var t = 0u; t < turns; t++) {
        if (t == 3u) { return sum * 100u; }
        tile[i] = sum;
        workgroupBarrier();
        sum += tile[(i + t + 1u) % 8u];
        workgroupBarrier();
    }
    return sum;
}
@compute @workgroup_size(8) fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32) {
    var value = i + 1u;
    if (counts[group.x] != 0u) {
        value = spread(value, i, counts[group.x]);
        if (group.x > 1u) { value += spread(i, i, 2u); }
    }
    out[group.x * 8u + i] = value;
}
