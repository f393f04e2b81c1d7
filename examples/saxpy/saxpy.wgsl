// saxpy.wgsl - computes y = a * x + y
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn saxpy(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  y[i] = a * x[i] + y[i];
}
