// Values of invocations chosen at run time, and at a distance.
// bind a = random u32 128 7
// bind out = zeros u32 896
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32,
        @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {
    let x = a[i];
    let f = f32(x) * 0.5;
    let first = i * 7u;
    out[first] = subgroupShuffle(x, lane ^ 1u);
    out[first + 1u] = subgroupShuffle(x, (a[i] >> 3u) % size);
    out[first + 2u] = bitcast<u32>(subgroupShuffle(f, i32(lane & ~3u)));
    out[first + 3u] = subgroupShuffleXor(x, 3u);
    out[first + 4u] = select(subgroupShuffleUp(x, 2u), 1u, lane < 2u);
    out[first + 5u] = bitcast<u32>(select(subgroupShuffleDown(f, 1u), 1.0, lane + 1u == size));
    out[first + 6u] = subgroupShuffle(subgroupShuffle(x, size - 1u - lane), size - 1u - lane);
}
