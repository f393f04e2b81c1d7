// One member of a structure is written by two invocations; the others are each written by one.
// run: --bind out=zeros:f32:8
struct Particle { position: vec3f, weight: f32 }
var<workgroup> particles: array<Particle, 8>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
  particles[i].position = vec3f(f32(i));
  particles[i / 2].weight = 1;  // ! data_race
  workgroupBarrier();
  out[i] = particles[i].position.x + particles[i / 2].weight;
}
