// Each workgroup waits for the one behind it, which no GPU promises to begin.
// run: --bind flags=zeros:u32:33 --workgroups 32 --max-steps 2000000
@group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3u) {
  loop {  // ! step_limit
    if group.x == 31 || atomicLoad(&flags[group.x + 1]) != 0 {
      break;
    }
  }
  atomicStore(&flags[group.x], 1);
}
