// Arrays of arrays of vectors, constant in a function, are indexed by variables at each level; any index beyond its end gives zero.
// bind out = zeros i32 16
// expect out = i32 2 11 1 5 7 7 7 8 10 3 0 0 0 0 0 0
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    const nested = array(array(vec2i(1, 2), vec2i(3, 4)), array(vec2i(5, 6), vec2i(7, 8)),
                         array(vec2i(9, 10), vec2i(11, 12)));
    out[4 * i] = nested[i][i % 2][(i + 1) % 2];
    out[4 * i + 1] = nested[2 - i][1].x;
    out[4 * i + 2] = nested[i][i][0];
    out[4 * i + 3] = nested[1][i][i];
}
