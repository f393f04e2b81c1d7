// Atomics of f32 stand in a structure with those of integers and with plain members.
// bind state = u32 5 1084227584 4294967294 0 1 2 3 0 1065353216 1073741824
// expect state = u32 9 1087373312 4294967291 0 11 12 13 0 1065353216 1084227584
enable muster_float_atomics;
struct State {
    count: atomic<u32>,
    sum: atomic<f32>,
    least: atomic<i32>,
    @align(16) place: vec3u,
    tail: array<atomic<f32>>,
}
@group(0) @binding(0) var<storage, read_write> state: State;
@compute @workgroup_size(1) fn main() {
    atomicAdd(&state.count, 4);
    atomicAdd(&state.sum, 1.5);
    atomicMin(&state.least, -5);
    state.place += vec3u(10);
    atomicAdd(&state.tail[arrayLength(&state.tail) - 1], 3);
}
