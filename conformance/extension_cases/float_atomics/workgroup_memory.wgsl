// In workgroup memory an atomic f32 starts as zero, and is that of its workgroup alone.
// bind out = zeros f32 12
// workgroups 4
// expect out = f32 2016 -63 63 2080 -64 64 2144 -65 65 2208 -66 66
enable muster_float_atomics;
struct Tile { sum: atomic<f32>, rows: array<array<atomic<f32>, 2>, 2> }
var<workgroup> tile: Tile;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
fn least(p: ptr<workgroup, atomic<f32>>, x: f32) { atomicMin(p, x); }
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
    let x = f32(i + group.x);
    atomicAdd(&tile.sum, x);
    least(&tile.rows[1][0], -x);
    atomicMax(&tile.rows[i % 2][1], x);
    workgroupBarrier();
    if (i == 0) {
        out[group.x * 3] = atomicLoad(&tile.sum);
        out[group.x * 3 + 1] = atomicLoad(&tile.rows[1][0]);
        out[group.x * 3 + 2] = max(atomicLoad(&tile.rows[0][1]), atomicLoad(&tile.rows[1][1]));
    }
}
