// A loaded index is used after the barrier, when memory has another value.
// bind data = iota u32 20
// bind order = u32 3 10 17 4 11 18 5 12 19 6 13 0 7 14 1 8 15 2 9 16
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 117 148 179 10 41 72 103 134 165 196 27 58 89 100 131 162 193 24 55 86
// expect order = u32 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> order: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    let j = order[i];
    data[i] = j;
    gridBarrier();
    order[(i + 1) % 20] = 0;
    out[j] = i * 10 + data[(i + 1) % 20];
}
