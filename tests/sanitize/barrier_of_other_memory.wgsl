// A workgroup barrier orders workgroup memory; what is exchanged here is storage.
// run: --bind data=iota:u32:64 --bind out=like:data
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  data[i] = 2 * i;  // ! data_race
  workgroupBarrier();
  out[i] = data[63 - i];  // ! data_race
}
