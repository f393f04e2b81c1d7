// All of the subgroup takes part, and the neighbour's number wraps around.
// run: --bind out=zeros:u32:64
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32,
        @builtin(subgroup_size) size: u32) {
  out[i] = subgroupShuffle(i, (lane + 1) % size) + subgroupAdd(i);
}
