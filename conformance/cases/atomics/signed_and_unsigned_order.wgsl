// atomicMax and atomicMin compare in their type's order.
// bind a = i32 -1 -1
// bind b = u32 4294967295 4294967295
// expect a = i32 1 -1
// expect b = u32 4294967295 1
@group(0) @binding(0) var<storage, read_write> a: array<atomic<i32>, 2>;
@group(0) @binding(1) var<storage, read_write> b: array<atomic<u32>, 2>;
@compute @workgroup_size(1) fn main() {
    atomicMax(&a[0], 1);
    atomicMin(&a[1], 1);
    atomicMax(&b[0], 1u);
    atomicMin(&b[1], 1u);
}
