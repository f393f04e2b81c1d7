// With atomics, the same is right, and adding to what nothing has written is meant: workgroup memory begins as zero.
// run: --bind keys=random:u32:128:1 --bind counts=zeros:u32:4 --invocations 128
var<workgroup> own: array<atomic<u32>, 4>;
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 4>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32) {
  atomicAdd(&own[keys[id.x] % 4], 1);
  workgroupBarrier();
  if i < 4 {
    atomicAdd(&counts[i], atomicLoad(&own[i]));
  }
}
