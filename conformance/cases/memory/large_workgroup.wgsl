// A workgroup of 1,024 invocations has 64 KB of workgroup memory, zero at first and shared by all.
// bind out = zeros u32 2048
// workgroups 2
var<workgroup> all: array<u32, 16384>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1024)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
    var before = 0u;
    for (var k = 0u; k < 16u; k++) {
        before += all[k * 1024u + i];
        if (k % 2u == 0u) { all[k * 1024u + i] = i * 16u + k + 1u + group.x; }
    }
    workgroupBarrier();
    out[group.x * 1024u + i] = before * 1000000u + all[(1023u - i) * 16u] + all[15360u + i] + all[14336u + (i ^ 512u)];
}
