// A loop ends once no invocation has anything left to do, according to a counter.
// bind data = iota u32 20
// bind out = zeros u32 20
// bind left = zeros u32 1
// workgroups 5
// expect out = u32 19 19 19 19 19 19 19 19 19 19 19 19 19 19 19 19 19 19 19 19
// expect data = u32 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> left: atomic<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var t = 0u;
    loop {
        if data[i] > 1 {
            data[i] = select(data[i] * 3 + 1, data[i] / 2, data[i] % 2 == 0);
            if data[i] > 1 { atomicAdd(&left, 1); }
        }
        gridBarrier();
        if gridUniformLoad(&left) == 0 { break; }
        if i == 0 { atomicStore(&left, 0); }
        t++;
        gridBarrier();
    }
    out[i] = t;
}
