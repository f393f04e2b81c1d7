// Uniform buffers are read with their layout.
// bind u = f32 2 3 0 0 10 20 30 40
// bind out = zeros f32 3
// expect out = f32 5 30 40
struct Params { scale: vec2f, @align(16) data: vec4f }
@group(0) @binding(0) var<uniform> u: Params;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    out[0] = u.scale.x + u.scale.y;
    out[1] = u.data.z;
    out[2] = u.data[3];
}
