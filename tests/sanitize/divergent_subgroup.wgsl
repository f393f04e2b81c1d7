// A sum over the subgroup, in a branch that only some of its invocations take; validation is told to let it pass.
// run: --bind out=zeros:u32:64 --subgroup-size 16
enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  if i % 3 == 0 {
    out[i] = subgroupAdd(i);  // ! divergent_subgroup
  }
}
