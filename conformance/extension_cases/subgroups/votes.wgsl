// Ballots have a bit for each invocation; all and any are what they say.
// bind a = random u32 128 7
// bind out = zeros u32 896
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32,
        @builtin(subgroup_invocation_id) lane: u32) {
    let x = a[i];
    let first = i * 7u;
    let ballot = subgroupBallot((x & 4u) != 0u);
    out[first] = ballot.x; out[first + 1u] = ballot.y; out[first + 2u] = ballot.z; out[first + 3u] = ballot.w;
    out[first + 4u] = u32(subgroupAll(i < 128u)) + 2u * u32(subgroupAll((x & 4u) != 0u));
    out[first + 5u] = u32(subgroupAny(lane == 3u)) + 2u * u32(subgroupAny(x == 0u));
    let all = subgroupBallot(true);
    out[first + 6u] = countOneBits(all.x) + countOneBits(all.y) + countOneBits(all.z) + countOneBits(all.w);
}
