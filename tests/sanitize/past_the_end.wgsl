// The last invocations reach past the end of the array.
// run: --bind source=iota:f32:100 --bind out=like:source
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = source[id.x];  // ! out_of_bounds
  out[id.x] = x;  // ! out_of_bounds
}
