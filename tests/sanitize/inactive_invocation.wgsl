// The last invocation of each subgroup reads from one behind it.
// run: --bind out=zeros:u32:64
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32) {
  out[i] = subgroupShuffle(i, lane + 1);  // ! inactive_invocation
}
