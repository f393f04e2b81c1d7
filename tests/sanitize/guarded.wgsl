// Those return early that would reach past the end; the neighbour's index is clamped.
// run: --bind source=iota:f32:100 --bind out=like:source
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if id.x >= arrayLength(&out) {
    return;
  }
  out[id.x] = source[id.x] - source[max(id.x, 1) - 1];
}
