// A row's index runs into the next row: within the tile, but not within the row.
// run: --bind out=zeros:u32:8
var<workgroup> tile: array<array<u32, 8>, 4>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  for (var row = 0u; row < 4; row++) {
    tile[row][i] = i;
  }
  workgroupBarrier();
  out[i] = tile[1][i + 4];  // ! out_of_bounds
}
