// A variable that some invocations assign before the barrier and others after it.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 300 63 306 63 312 63 318 63 324 63 330 63 336 63 342 63 348 63 354 63
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var a = i;
    if i % 2 == 0 { a = i + 100; } else { data[i] += 1; }
    gridBarrier();
    if i % 2 == 1 { a += data[20 - i]; }
    let b = a * 2;
    gridBarrier();
    out[i] = a + b;
}
