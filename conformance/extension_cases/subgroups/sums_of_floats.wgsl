// Sums, products and their prefixes of f32, in the order of a binary tree over the subgroup.
// bind a = random u32 128 7
// bind out = zeros u32 768
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let f = f32(a[i] % 100000u) * 0.37 - 9000.0;
    let g = 0.5 + f32(a[i] % 1000u) * 0.001;
    let first = i * 6u;
    out[first] = bitcast<u32>(subgroupAdd(f));
    out[first + 1u] = bitcast<u32>(subgroupInclusiveAdd(f));
    out[first + 2u] = bitcast<u32>(subgroupExclusiveAdd(f));
    out[first + 3u] = bitcast<u32>(subgroupMul(g));
    out[first + 4u] = bitcast<u32>(subgroupInclusiveMul(g));
    out[first + 5u] = bitcast<u32>(subgroupExclusiveMul(g));
}
