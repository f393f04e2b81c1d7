// Each atomic returns the old value and stores the new one.
// bind a = i32 5 5 5 5 12 12 12 5 5 5
// bind out = zeros i32 11
// expect a = i32 8 2 9 3 8 14 6 77 42 5
// expect out = i32 5 5 5 5 12 12 12 5 5 5 1
@group(0) @binding(0) var<storage, read_write> a: array<atomic<i32>, 10>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(1) fn main() {
    out[0] = atomicAdd(&a[0], 3);
    out[1] = atomicSub(&a[1], 3);
    out[2] = atomicMax(&a[2], 9);
    out[3] = atomicMin(&a[3], 3);
    out[4] = atomicAnd(&a[4], 10);
    out[5] = atomicOr(&a[5], 2);
    out[6] = atomicXor(&a[6], 10);
    out[7] = atomicExchange(&a[7], 77);
    let r = atomicCompareExchangeWeak(&a[8], 5, 42);
    out[8] = r.old_value;
    out[9] = atomicCompareExchangeWeak(&a[9], 4, 42).old_value;
    out[10] = i32(r.exchanged);
    atomicStore(&a[9], atomicLoad(&a[9]));
}
