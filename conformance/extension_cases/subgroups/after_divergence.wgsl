// All of a subgroup come together again after a branch, a loop and a switch that divide them.
// bind a = random u32 128 7
// bind out = zeros u32 384
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    var y = x;
    if (x & 8u) != 0u { y = y * 3u + 1u; } else { y ^= i; }
    out[i * 3u] = subgroupAdd(y);
    for (var k = 0u; k < x % 7u; k++) { y = y * 5u + k; }
    out[i * 3u + 1u] = subgroupExclusiveAdd(y);
    switch x % 4u {
        case 0u: { y += 1u; }
        case 1u, 2u: { y *= 7u; }
        default: { }
    }
    let ballot = subgroupBallot((y & 1u) == 0u);
    out[i * 3u + 2u] = ballot.x + 3u * ballot.y + 5u * ballot.z + 7u * ballot.w;
}
