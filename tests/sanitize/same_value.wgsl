// All write the same value to one element, which is a race in WGSL all the same.
// run: --bind found=0 --bind keys=iota:u32:64 --workgroups 1
@group(0) @binding(0) var<storage, read_write> found: u32;
@group(0) @binding(1) var<storage, read> keys: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  if keys[i] > 9 {
    found = 1;  // ! data_race
  }
}
