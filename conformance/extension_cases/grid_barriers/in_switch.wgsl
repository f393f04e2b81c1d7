// Barriers in cases of a switch in a loop.
// bind data = iota u32 20
// bind turns = u32 5
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 51 63 75 87 99 111 123 135 147 159 171 183 175 187 179 151 163 95 87 79
// expect data = u32 33 40 47 54 61 68 75 82 89 96 103 110 97 104 111 78 85 52 39 46
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    for (var t = 0u; t < turns; t++) {
        switch t {
            case 0: {
                data[i] = i + 1;
                gridBarrier();
            }
            case 1, 3: {
                out[i] += data[(i + t) % 20];
                gridBarrier();
                data[i] += out[(i + 2) % 20];
                if t == 3 { gridBarrier(); break; }
                gridBarrier();
            }
            default: { out[i] += data[i]; }
        }
    }
}
