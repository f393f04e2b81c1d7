// A constant table of structures with a vector and an array in each; an index beyond an end gives zero.
// bind out = zeros i32 16
// expect out = i32 1 3 -6 15 0 0 0 0 0 11 12 45 0 0 0 0
struct Row { pair: vec2i, three: array<i32, 3>, last: i32 }
const table = array(Row(vec2i(1, 2), array(3, 4, 5), -6), Row(), Row(vec2i(7, 8), array<i32, 3>(9, 10, 11), 12));
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let row = table[i];
    out[4 * i] = table[i].pair[i];
    out[4 * i + 1] = table[i].three[i];
    out[4 * i + 2] = row.last;
    out[4 * i + 3] = row.pair.x + row.pair.y + row.three[0] + row.three[1] + row.three[2];
}
