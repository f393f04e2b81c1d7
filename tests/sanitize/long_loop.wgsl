// Long, but it ends; and a loop that waits for another invocation of its workgroup.
// run: --bind out=zeros:u32:64
var<workgroup> ready: atomic<u32>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  var sum = 0u;
  for (var k = 0u; k < 4096; k++) {
    sum += k;
  }
  atomicAdd(&ready, 1);
  while atomicLoad(&ready) < 64 {
  }
  out[i] = sum;
}
