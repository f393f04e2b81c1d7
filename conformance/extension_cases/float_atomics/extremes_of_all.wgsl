// The least and the greatest of many floats that all invocations compare with one place.
// bind x = random f32 1000 7
// bind range = f32 1 0
// workgroups 16
enable muster_float_atomics;
struct Range { least: atomic<f32>, greatest: atomic<f32> }
@group(0) @binding(0) var<storage> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> range: Range;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= arrayLength(&x)) { return; }
    atomicMin(&range.least, x[id.x]);
    atomicMax(&range.greatest, x[id.x]);
}
