// Lets, variables and private arrays keep their values across barriers.
// bind out = zeros u32 4
// expect out = u32 16 20 24 24
var<workgroup> tile: array<u32, 4>;
var<private> mine: array<u32, 3>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let early = i * 2u;
    var v = i + 10u;
    mine[i % 3u] = 5u;
    tile[i] = i;
    workgroupBarrier();
    v += tile[(i + 1u) % 4u];
    workgroupBarrier();
    tile[i] = 20u;
    workgroupBarrier();
    out[i] = early + v + mine[i % 3u] + tile[3u - i] - 20u;
}
