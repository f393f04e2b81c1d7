// Two steps over the whole grid; the second reads its neighbours' results of the first.
// run: --bind data=iota:u32:256 --bind result=like:data
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let n = arrayLength(&data);
  data[i] = data[i] * 3;  // ! data_race
  result[i] = data[(i + 1) % n];  // ! data_race
  gridBarrier();
  data[i] = result[(i + 1) % n];
}
