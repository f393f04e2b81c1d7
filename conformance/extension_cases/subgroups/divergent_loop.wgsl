// In a loop, operations are of those that are still in it.
// bind a = random u32 128 7
// bind out = zeros u32 128
diagnostic(off, subgroup_uniformity);
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    var r = 0u;
    for (var k = 0u; k < x % 5u; k++) { r += countOneBits(subgroupBallot(true).x) ^ subgroupMax(x); }
    out[i] = r;
}
