// An invocation that returns does nothing more.
// bind out = zeros u32 6
// expect out = u32 1 1 1 0 0 0
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(6) fn main(@builtin(local_invocation_index) i: u32) {
    if i >= 3u { return; }
    out[i] = 1u;
}
