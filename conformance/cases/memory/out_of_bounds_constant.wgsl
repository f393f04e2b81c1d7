// In a constant array that is indexed at run time, a load out of bounds gives zero.
// bind at = u32 0 2 3 4294967295
// bind out = zeros f32 4
// expect out = f32 1.5 3.5 0 0
const table = array(1.5, 2.5, 3.5);
@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = table[at[i]]; }
