// Turns that continue early, before a barrier and after it.
// bind data = iota u32 20
// bind turns = u32 6
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 82 95 108 121 134 147 160 173 186 199 212 225 238 211 224 137 150 103 76 89
// expect data = u32 104 122 140 158 176 194 212 230 248 266 284 302 320 298 316 234 252 210 148 166
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    for (var t = 0u; t < turns; t++) {
        data[i] += t;
        if t % 3 == 1 { continue; }
        gridBarrier();
        out[i] += data[(i + t) % 20];
        gridBarrier();
        if t == 3 { continue; }
        data[i] += out[i];
    }
}
