// storageBarrier orders storage memory inside a workgroup.
// bind a = zeros u32 8
// bind out = zeros u32 8
// expect out = u32 1 2 3 4 5 6 7 0
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    a[i] = i;
    storageBarrier();
    out[i] = a[(i + 1u) % 8u];
}
