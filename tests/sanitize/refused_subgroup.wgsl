// The same without the diagnostic: validation refuses it.
// run: --bind out=zeros:u32:64
enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  if i % 3 == 0 {  // ! divergent_subgroup
    out[i] = subgroupAdd(i);  // ! divergent_subgroup
  }
}
