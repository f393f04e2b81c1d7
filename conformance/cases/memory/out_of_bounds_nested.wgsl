// One index out of range makes the whole access out of bounds.
// bind out = iota u32 12
// expect out = u32 0 1 2 3 4 5 6 7 8 9 0 77
@group(0) @binding(0) var<storage, read_write> out: array<array<u32, 4>, 3>;
@compute @workgroup_size(1) fn main(@builtin(num_workgroups) n: vec3u) {
    let four = n.x + 3u;
    out[0][four] = 50u;
    out[four][0] = 51u;
    out[2][2] = out[1][four] + out[four][1];
    out[2][3] = 77u;
}
