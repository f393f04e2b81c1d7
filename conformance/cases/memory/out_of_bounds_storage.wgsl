// A load out of bounds gives zero, a store does nothing.
// bind a = u32 1 2 3 4
// bind out = zeros u32 4
// expect out = u32 2 3 4 0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i + 1u];
    out[i + 4u] = 99u;
    out[i + 4294967290u] = 98u;
}
