enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
var<workgroup> tile: array<u32, 8>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3u) {
    tile[i] = a[w.x * 8 + i];
    for (var step = 1u; step < 8; step *= 2) {
        workgroupBarrier();
        let sum = tile[i] + tile[(i + step) % 8];
        workgroupBarrier();
        tile[i] = sum;
    }
    a[w.x * 8 + i] = tile[7 - i];
    gridBarrier();
    if (gridUniformLoad(&a[0]) == 3) { return; }
    a[16 + i] = a[i] * (w.x + 1);
}
