// Each subgroup sums, then the first one sums the sums, across barriers.
// workgroups 3
// bind a = random u32 300 7
// bind out = zeros u32 300
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> sums: array<u32, 32>;
@compute @workgroup_size(100)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) workgroup: vec3u,
        @builtin(subgroup_id) group: u32, @builtin(num_subgroups) groups: u32) {
    let sum = subgroupAdd(a[i + 100u * workgroup.x]);
    if subgroupElect() { sums[group] = sum; }
    workgroupBarrier();
    var total = 0u;
    for (var k = 0u; k < groups; k++) { total += sums[k]; }
    out[i + 100u * workgroup.x] = total + subgroupInclusiveAdd(i);
}
