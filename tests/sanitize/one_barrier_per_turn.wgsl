// Two buffers take turns, so that one barrier in each turn is enough.
// run: --bind out=zeros:f32:64
var<workgroup> sums: array<array<f32, 64>, 2>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  sums[0][i] = f32(i);
  workgroupBarrier();
  var front = 0u;
  for (var step = 1u; step < 64; step *= 2) {
    var sum = sums[front][i];
    if i >= step {
      sum += sums[front][i - step];
    }
    front = 1 - front;
    sums[front][i] = sum;
    workgroupBarrier();
  }
  out[i] = sums[front][i];
}
