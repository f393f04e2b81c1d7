// Columns and components in every address space, by constant and by dynamic indices; out of bounds gives zero.
// bind m = f32 1 2 3 -1 4 5 6 -1 7 8 9 -1
// bind at = u32 0 1 2 3
// bind out = zeros f32 24
// expect m = f32 1 2 3 -1 4 25 6 -1 70 80 90 -1
// expect out = f32 1 5 6 0 2 4 8 0 0 1 0 0 10 20 31 3 12 16 2 12 0 0 0 0
@group(0) @binding(0) var<storage, read_write> m: mat3x3f;
@group(0) @binding(1) var<storage, read> at: array<u32, 4>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Frame {
    turn: mat2x2f,
    scale: f32,
}
var<private> unit: mat4x4f = mat4x4f(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
var<workgroup> frames: array<Frame, 2>;
fn double(column: ptr<function, vec2f>) {
    *column *= 2;
}
@compute @workgroup_size(1) fn main() {
    let value = m;
    out[0] = value[0].x;
    out[1] = value[at[1]].y;
    out[2] = m[at[1]][at[2]];
    out[3] = m[at[3]].x;
    out[4] = (value * 1)[at[0]][at[1]];

    var local = mat2x2f(1, 2, 3, 4);
    double(&local[0]);
    local[at[1]] *= local;
    out[5] = local[0].y;
    out[6] = value[2].y;
    out[7] = local[at[2]].x;
    local[at[3]] = vec2f(1);
    out[8] = unit[1].x;
    out[9] = unit[at[2]][2];

    let turn = &frames[at[1]].turn;
    (*turn)[1] = vec2(10, 20);
    turn[0].x = 31;
    out[12] = frames[1].turn[1].x;
    out[13] = turn[1].y;
    out[14] = frames[1].turn[0][0];
    frames[0].scale = 3;
    out[15] = frames[0].scale;

    var sum = mat2x2f();
    sum += mat2x2(4, 2, 1, 4);
    sum -= mat2x2f(1, 0, 0, 0);
    sum *= sum;
    sum *= 1;
    out[16] = sum[0].x + 1;
    out[17] = sum[1].y - 2;
    out[18] = f32(sum[0].x > 3) + 1;
    out[19] = sum[0].x + 1;

    m[1].y = 25;
    m[at[2]] *= 10;
    m[at[3]] = vec3f(100);
}
