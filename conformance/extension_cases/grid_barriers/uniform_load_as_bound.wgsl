// A loaded word is the number of turns of a loop with barriers.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256 272 268 204 100 36
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if i == 7 { data[3] = 40; }
    gridBarrier();
    let most = gridUniformLoad(&data[3]) / 10;
    gridBarrier();
    var x = i;
    for (var j = 0u; j < most; j++) {
        data[i] = x;
        gridBarrier();
        x += data[(i + 1) % 20];
        gridBarrier();
    }
    out[i] = x;
}
