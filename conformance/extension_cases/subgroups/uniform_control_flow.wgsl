// Branches and loops that all of a subgroup take together.
// bind a = random u32 128 7
// bind out = zeros u32 384
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32,
        @builtin(subgroup_id) group: u32) {
    let x = a[i];
    var sum = 0u;
    for (var k = 0u; k < group + 2u; k++) { sum += subgroupAdd(x + k); }
    out[i * 3u] = sum;
    if group == 0u { out[i * 3u + 1u] = subgroupMax(x); } else { out[i * 3u + 1u] = subgroupExclusiveAdd(i); }
    var most = x;
    loop {
        most = subgroupMax(most / 2u);
        if subgroupAll(most < 1000u) { break; }
    }
    out[i * 3u + 2u] = most;
}
