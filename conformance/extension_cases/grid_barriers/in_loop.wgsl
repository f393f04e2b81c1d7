// Barriers in a loop whose number of turns is a uniform; a sum is carried from turn to turn.
// bind data = iota u32 20
// bind turns = u32 5
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 266 297 328 359 390 401 412 423 414 405 376 347 318 289 260 231 222 213 224 235
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var sum = 0u;
    for (var t = 0u; t < turns; t++) {
        data[i] = sum + i + t;
        gridBarrier();
        sum += data[(i + t + 1) % 20];
        gridBarrier();
    }
    out[i] = sum;
}
