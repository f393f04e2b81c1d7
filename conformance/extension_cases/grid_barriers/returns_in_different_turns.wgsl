// Invocations return in different turns of a loop with barriers; some never.
// bind data = iota u32 20
// bind turns = u32 8
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 1000 1011 1025 1042 1062 1085 1111 1140 672 1000 1020 1002 1008 1017 1029 1044 1062 583 1000 1009
// expect data = u32 1 3 5 7 9 11 13 15 16 10 12 14 16 18 20 22 24 25 19 21
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    for (var t = 0u; t < turns; t++) {
        data[i] += 1;
        gridBarrier();
        if t == i % 9 { out[i] += 1000; return; }
        out[i] += data[(i + 9) % 20];
        gridBarrier();
    }
    out[i] += 500;
}
