// Barriers in a branch and in a loop, which all invocations of a workgroup take alike.
// run: --bind turns=3 --bind out=zeros:u32:128
var<workgroup> tile: array<u32, 64>;
var<workgroup> more: u32;
@group(0) @binding(0) var<uniform> turns: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32,
        @builtin(workgroup_id) group: vec3u) {
  tile[i] = i;
  if i == 0 {
    more = turns + group.x;
  }
  for (var turn = 0u; turn < workgroupUniformLoad(&more); turn++) {
    let other = tile[i ^ 1];
    workgroupBarrier();
    tile[i] = other + turn;
    workgroupBarrier();
  }
  out[id.x] = tile[i];
}
