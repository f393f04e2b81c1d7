// Invocations write different components of one vector, and different bytes of one word: that is right.
// run: --bind colours=zeros:vec4u:16 --bind bytes=zeros:u8:64 --invocations 64
enable muster_int8_int16;
@group(0) @binding(0) var<storage, read_write> colours: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> bytes: array<u8>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  colours[i / 4][i % 4] = i;
  bytes[i] = u8(i);
}
