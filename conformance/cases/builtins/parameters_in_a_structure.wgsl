// Built-in values may be members of a structure.
// bind out = zeros u32 4
// expect out = u32 0 2 4 6
struct Input { @builtin(local_invocation_index) index: u32, @builtin(workgroup_id) group: vec3u }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(in: Input) { out[in.index] = in.index * 2u + in.group.x; }
