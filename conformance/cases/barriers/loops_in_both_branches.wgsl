// Barriers in the loops of both branches of an if; one loop ends by a break behind its barrier.
// bind out = zeros u32 32
// workgroups 4
// expect out = u32 22 19 16 13 13 16 19 22 1010 1022 1034 1046 1058 1070 1082 1046 29 26 23 20 20 23 26 29 1192 1240 1240 1240 1240 1192 1192 1192
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<u32, 8>;
@compute @workgroup_size(8) fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32) {
    var sum = i * 3u + group.x;
    if (group.x % 2u == 0u) {
        for (var k = 0u; k < 2u + group.x; k++) {
            tile[i] = sum;
            workgroupBarrier();
            sum = max(sum, tile[7u - i]) + k;
            workgroupBarrier();
        }
    } else {
        var k = 0u;
        loop {
            tile[i] = sum;
            workgroupBarrier();
            sum += tile[(i + k) % 8u];
            workgroupBarrier();
            if (k == group.x) { break; }
            k++;
        }
        sum += 1000u;
    }
    out[group.x * 8u + i] = sum;
}
