// A tile is filled again while others may still read it: the loop lacks its second barrier.
// run: --bind source=iota:f32:64 --bind out=zeros:f32:16
var<workgroup> tile: array<f32, 16>;
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
  var sum = 0f;
  for (var first = 0u; first < 64; first += 16) {
    tile[i] = source[first + i];  // ! data_race
    workgroupBarrier();
    for (var k = 0u; k < 16; k++) {
      sum += tile[k];  // ! data_race
    }
  }
  out[i] = sum;
}
