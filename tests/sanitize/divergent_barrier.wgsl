// Some invocations return in front of the barrier.
// run: --bind out=zeros:u32:100
var<workgroup> tile: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32) {
  if id.x >= arrayLength(&out) {  // ! non_uniform_barrier
    return;
  }
  tile[i] = id.x;
  workgroupBarrier();  // ! non_uniform_barrier
  out[id.x] = tile[63 - i];
}
