// A loop without a condition, left in its middle, between two barriers.
// bind data = iota u32 20
// bind turns = u32 7
// bind out = zeros u32 20
// workgroups 5
// expect data = u32 0 7 14 21 28 35 42 49 56 63 70 77 84 91 98 105 112 119 126 133
// expect out = u32 3010 3017 3024 3031 3038 3045 3052 3059 3066 3073 3080 3087 3094 3101 3108 3115 3122 3129 3056 3023
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var t = 0u;
    loop {
        data[i] += i * t;
        gridBarrier();
        if t * t > turns { break; }
        out[i] += data[(i + t) % 20];
        gridBarrier();
        t += 1;
    }
    out[i] += t * 1000;
}
