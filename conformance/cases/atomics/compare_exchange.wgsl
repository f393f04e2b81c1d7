// Compare and exchange returns the old value and true if it exchanged; it leaves the rest of a structure alone.
// bind out = i32 5 7 0 0 0 0
// expect out = i32 9 7 5 1 9 0
struct Cell {
    value: atomic<i32>,
    other: i32,
    result: array<i32, 4>,
}
@group(0) @binding(0) var<storage, read_write> out: Cell;
@compute @workgroup_size(1) fn main() {
    var r = atomicCompareExchangeWeak(&out.value, 5, 9);
    out.result[0] = r.old_value;
    out.result[1] = i32(r.exchanged);
    r = atomicCompareExchangeWeak(&out.value, 5, -1);
    out.result[2] = r.old_value;
    out.result[3] = i32(r.exchanged);
}
