// Sums, products, extremes and bits of a whole subgroup, signed and unsigned.
// bind a = random u32 128 7
// bind out = zeros u32 1280
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let s = i32(x);
    let first = i * 10u;
    out[first] = subgroupAdd(x);
    out[first + 1u] = subgroupMul(x | 1u);
    out[first + 2u] = subgroupMin(x);
    out[first + 3u] = subgroupMax(x);
    out[first + 4u] = subgroupAnd(x | 0xffffu);
    out[first + 5u] = subgroupOr(x & 0xff00ffu);
    out[first + 6u] = subgroupXor(x);
    out[first + 7u] = u32(subgroupMin(s));
    out[first + 8u] = u32(subgroupMax(s));
    out[first + 9u] = u32(subgroupMul(s | 1));
}
