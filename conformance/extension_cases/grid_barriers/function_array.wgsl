// A function's array lives across grid barriers, its zeros too.
// bind data = iota u32 20
// workgroups 5
// expect data = u32 11 34 101 202 450 838 17 106 299 548 1022 1696 3 138 437 914 1634 2614 9 210
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var list: array<u32, 6>;
    for (var j = 0u; j < i % 6; j++) { list[j] = i * 10 + j; }
    gridBarrier();
    list[i % 3] += data[(i + 11) % 20];
    gridBarrier();
    var sum = 0u;
    for (var j = 0u; j < 6; j++) { sum += (j + 1) * list[j]; }
    data[i] = sum;
}
