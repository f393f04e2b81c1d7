// Integers of 8 and 16 bits in workgroup, private, function and uniform memory, as constants, and as arguments.
// bind table = u8 3 1 4 1 5 9 2 6
// bind out = zeros i32 64
// workgroups 1
enable muster_int8_int16;
struct Pair { low: u8, high: i16 }
const ends = array<i8, 2>(-128, 127);
@group(0) @binding(0) var<uniform> table: array<u8, 8>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
var<workgroup> tile: array<i8, 64>;
var<private> mine: array<u16, 4>;
fn sum(p: Pair, k: u8) -> i32 { return i32(p.low) + i32(p.high) * i32(k); }
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i8(i * 5);
    workgroupBarrier();
    mine[i % 4] = u16(u32(table[i % 8]) * 10000);
    var p = Pair(u8(i * 7), i16(tile[63 - i]));
    var at: array<u8, 3>;
    at[i % 3] = 200;
    p.low = at[i % 2];
    out[i] = sum(p, table[7 - i % 8]) + i32(mine[i % 4]) + i32(ends[i % 2]) + i32(Pair().high);
}
