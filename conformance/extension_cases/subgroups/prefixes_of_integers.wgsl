// Sums and products of the invocations up to each one, and before it.
// bind a = random u32 128 7
// bind out = zeros u32 512
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let first = i * 4u;
    out[first] = subgroupInclusiveAdd(x);
    out[first + 1u] = subgroupExclusiveAdd(x);
    out[first + 2u] = subgroupInclusiveMul(x | 1u);
    out[first + 3u] = subgroupExclusiveMul(x | 1u);
}
