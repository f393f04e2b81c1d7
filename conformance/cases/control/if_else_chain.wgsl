// The first condition that holds decides.
// bind out = zeros u32 8
// expect out = u32 10 10 20 20 20 30 30 30
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    if i < 2u {
        out[i] = 10u;
    } else if i < 5u {
        out[i] = 20u;
    } else {
        out[i] = 30u;
    }
}
