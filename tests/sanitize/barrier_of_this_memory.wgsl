// The same with the barrier of storage is right.
// run: --bind data=iota:u32:64 --bind out=like:data
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  data[i] = 2 * i;
  storageBarrier();
  out[i] = data[63 - i];
}
