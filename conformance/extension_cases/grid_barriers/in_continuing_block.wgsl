// Barriers in a continuing block, which also ends the loop.
// bind data = iota u32 20
// bind turns = u32 4
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 106 136 166 196 226 256 286 316 346 376 406 436 466 496 526 556 586 16 46 76
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var t = 0u;
    var x = i;
    loop {
        x = x * 2 + t;
        data[i] = x;
        continuing {
            t++;
            gridBarrier();
            out[i] += data[(i + 3) % 20];
            gridBarrier();
            break if t == turns;
        }
    }
}
