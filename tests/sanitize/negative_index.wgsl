// The left neighbour of the first element.
// run: --bind source=iota:f32:64 --bind out=like:source
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let left = i32(id.x) - 1;
  out[id.x] = source[left];  // ! out_of_bounds
}
