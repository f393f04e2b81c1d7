// y = a * x + y over a ragged size.
// invocations 1000
// bind a = f32 2
// bind x = iota f32 1000
// bind y = iota f32 1000
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= arrayLength(&y) { return; }
    y[id.x] = a * x[id.x] + y[id.x];
}
