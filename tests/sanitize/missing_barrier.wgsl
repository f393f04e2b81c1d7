// Each invocation reads its neighbour's element, with no barrier after the store.
// run: --bind out=zeros:u32:64
var<workgroup> tile: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  tile[i] = i * i;  // ! data_race
  out[i] = tile[i ^ 1];  // ! data_race
}
