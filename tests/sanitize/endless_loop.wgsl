// A step of zero never gets to the end.
// run: --bind out=zeros:u32:64 --max-steps 5000000
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  var sum = 0u;
  for (var k = 0u; k < 64; k += i) {  // ! step_limit
    sum += k;
  }
  out[i] = sum;
}
