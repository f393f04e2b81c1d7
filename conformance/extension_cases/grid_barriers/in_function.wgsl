// A function with barriers, called twice, with a pointer parameter and a result.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 33 42 51 60 69 78 87 96 105 114 123 132 121 130 139 148 77 86 95 104
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
fn exchange(i: u32, x: ptr<function, u32>) -> u32 {
    data[i] = *x;
    gridBarrier();
    let y = data[(i + 4) % 20];
    gridBarrier();
    *x *= 2;
    return y;
}
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    var x = id.x + 1;
    x = exchange(id.x, &x) + x;
    x = exchange(id.x, &x) + x;
    out[id.x] = x;
}
