// A scratch buffer without data is read before it is written.
// run: --bind scratch=zeros:f32:64 --no-data scratch --bind out=like:scratch
@group(0) @binding(0) var<storage, read_write> scratch: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  out[i] = scratch[i];  // ! read_before_write
  scratch[i] = f32(i);
  out[i] += scratch[i];
}
