// Operations are of those that have not returned.
// bind a = random u32 128 7
// bind out = zeros u32 256
diagnostic(off, subgroup_uniformity);
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    if (x & 16u) != 0u { return; }
    out[i * 2u] = subgroupMin(x);
    out[i * 2u + 1u] = subgroupExclusiveAdd(1u);
}
