// Rows and columns are exchanged in a tile that isn't square, and a local array is one too short.
// run: --bind out=zeros:u32:32 --workgroups 1
var<workgroup> tile: array<array<u32, 8>, 4>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8, 4)
fn main(@builtin(local_invocation_id) id: vec3u) {
  var powers: array<u32, 7>;
  powers[id.x] = 1u << id.x;  // ! out_of_bounds
  tile[id.x][id.y] = powers[id.y];  // ! out_of_bounds
  workgroupBarrier();
  out[id.y * 8 + id.x] = tile[id.y][id.y];
}
