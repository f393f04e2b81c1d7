@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(1) var<uniform> unused: vec4f;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) { out[id.x] = a[id.x]; }
