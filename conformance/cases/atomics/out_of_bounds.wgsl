// An atomic operation out of bounds does nothing and returns zero.
// bind a = u32 9
// bind out = u32 5 5
// expect a = u32 9
// expect out = u32 0 0
@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    out[0] = atomicAdd(&a[arrayLength(&a)], 1u);
    out[1] = atomicLoad(&a[arrayLength(&a) + 7u]);
}
