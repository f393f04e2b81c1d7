// global_invocation_index and workgroup_index count linearly.
// workgroups 2 2 1
// bind out = zeros u32 16
// expect out = u32 0 1 2 3 4 5 6 7 1008 1009 1010 1011 1012 1013 1014 1015
requires linear_indexing;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_index) at: u32, @builtin(workgroup_index) group: u32) {
    out[at] = at + select(0u, 1000u, group >= 2u);
}
