// A private array, with indices computed at run time, lives across grid barriers.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 140612 2070711 2090615 6071211 4140616 10071115 6130615 14071211 8140620 18071519 10170615 22071211 12140624 26071923 14210615 30071211 16140628 34072307 18250615 38071211
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<private> mine: array<u32, 4> = array(5u, 6u, 7u, 0u);
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    mine[i % 4] += i;
    mine[3] += data[i];
    gridBarrier();
    data[i] = mine[(i + 1) % 4];
    mine[(i + 2) % 4] *= 2;
    gridBarrier();
    out[i] = mine[0] + mine[1] * 100 + mine[2] * 10000 + mine[3] * 1000000 + data[(i + 5) % 20];
}
