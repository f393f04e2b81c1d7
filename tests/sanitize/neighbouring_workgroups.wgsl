// A filter in place: the last invocation of each workgroup reads what the next workgroup writes. The barrier helps within a
// workgroup only.
// run: --bind data=iota:f32:262144
@group(0) @binding(0) var<storage, read_write> data: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let next = min(i + 1, arrayLength(&data) - 1);
  let mean = (data[i] + data[next]) / 2;  // ! data_race
  storageBarrier();
  data[i] = mean;  // ! data_race
}
