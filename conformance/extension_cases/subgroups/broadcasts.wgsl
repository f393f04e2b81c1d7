// Values of one invocation for all; the first is the elected one.
// bind a = random u32 128 7
// bind out = zeros u32 640
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let first = i * 5u;
    out[first] = subgroupBroadcast(x, 2u);
    out[first + 1u] = bitcast<u32>(subgroupBroadcast(f32(x), 3));
    out[first + 2u] = subgroupBroadcastFirst(x + 1u);
    out[first + 3u] = bitcast<u32>(subgroupBroadcastFirst(f32(i) * 0.5));
    out[first + 4u] = u32(subgroupElect());
}
