// A tile with a border, of which the right one is never filled.
// run: --bind source=iota:f32:64 --bind out=like:source
var<workgroup> tile: array<f32, 66>;
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  tile[i + 1] = source[i];
  if i == 0 {
    tile[0] = source[0];
  }
  workgroupBarrier();
  out[i] = tile[i] + tile[i + 1] + tile[i + 2];  // ! read_before_write
}
