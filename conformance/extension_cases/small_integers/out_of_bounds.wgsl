// Out of bounds a load of a byte gives zero and a store does nothing, also within the binding's last word.
// bind bytes = u8 1 2 3 4 5 6 7 8
// bind at = u32 6 7 100 4294967295
// bind out = random i32 4 1
// expect bytes = u8 1 2 3 4 5 9 7 8
// expect out = i32 0 0 0 0
enable muster_int8_int16;
struct Short { all: array<u8, 6> }
@group(0) @binding(0) var<storage, read_write> bytes: Short;
@group(0) @binding(1) var<storage> at: array<u32, 4>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(bytes.all[at[i]]);
    bytes.all[at[i]] = u8(i + 100);
    bytes.all[at[i] / 2 + 2] = 9;
}
