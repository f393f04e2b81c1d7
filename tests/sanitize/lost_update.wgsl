// A counter that isn't atomic.
// run: --bind keys=random:u32:128:1 --bind counts=zeros:u32:4 --invocations 128
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32, 4>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  counts[keys[id.x] % 4] += 1;  // ! data_race
}
