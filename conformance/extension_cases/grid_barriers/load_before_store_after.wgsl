// A value loaded before a grid barrier stays the same, whatever is stored after it.
// bind data = iota u32 20
// workgroups 5
// expect data = u32 27 29 31 33 35 37 39 1 3 5 7 9 11 13 15 17 19 21 23 25
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    let x = data[i];
    gridBarrier();
    data[(i + 7) % 20] = x * 2 + 1;
}
