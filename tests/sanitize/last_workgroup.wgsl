// Only the last of many workgroups goes wrong.
// run: --bind data=iota:u32:1000000 --workgroups 15625
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  data[id.x + id.x / 999999] = id.x;  // ! out_of_bounds
}
