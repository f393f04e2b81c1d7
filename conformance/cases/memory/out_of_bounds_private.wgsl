// In function memory, a load out of bounds gives zero, a store does nothing; negative indices are out of bounds.
// bind at = i32 -1 0 3 4
// bind out = zeros i32 4
// expect out = i32 0 10 13 0
@group(0) @binding(0) var<storage, read> at: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var local = array<i32, 4>(10, 11, 12, 13);
    out[i] = local[at[i]];
    local[at[i]] = 1;
}
