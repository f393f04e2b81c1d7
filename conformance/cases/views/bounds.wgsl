// Offsets and sizes are rounded down; a view that isn't within its buffer loads zeros and stores nothing; lengths.
// bind src = iota u32 9
// bind out = random u32 32 5
// bind at = u32 0 3 16 23 24 28 35 36 40 64 2147483648 4294967292 4294967295 8 12 20
// bind r = zeros u32 192
requires buffer_view;
struct Tail { head: vec2u, items: array<vec2u> }
@group(0) @binding(0) var<storage, read> src: buffer;
@group(0) @binding(1) var<storage, read_write> out: buffer;
@group(0) @binding(2) var<storage, read> at: array<u32>;
@group(0) @binding(3) var<storage, read_write> r: array<array<u32, 12>>;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
    let o = at[i];
    r[i][0] = *bufferView<u32>(&src, o);
    r[i][1] = dot(*bufferView<vec3u>(&src, o), vec3u(1, 10, 100));
    r[i][2] = arrayLength(bufferView<array<vec2u>>(&src, o));
    r[i][3] = arrayLength(&bufferView<Tail>(&src, o).items);
    r[i][4] = bufferView<Tail>(&src, i32(o)).items[i].y;
    r[i][5] = arrayLength(bufferArrayView<array<vec2u>>(&src, 8, o));
    r[i][6] = arrayLength(&bufferArrayView<Tail>(&src, o, at[15 - i]).items);
    r[i][7] = bufferArrayView<array<vec2u>>(&src, o, i32(at[15 - i]))[1].x;
    r[i][8] = bufferView<array<u32>>(&src, o)[at[15 - i]];
    r[i][9] = (*bufferView<array<u32, 4>>(&src, o))[i];
    r[i][10] = bufferLength(&src) + bufferLength(&out);
    if i == 0 || i == 4 || i == 7 || i == 10 || i == 12 { *bufferView<vec4u>(&out, o) = vec4u(i); }
    bufferView<array<u32>>(&out, 64)[o] = i;
    if i == 0 {
        (*bufferView<array<u32, 20>>(&out, 48))[0] = 1;
        (*bufferView<array<u32, 21>>(&out, 48))[0] = 2;
        bufferArrayView<array<u32>>(&out, 96, 8)[2] = 3;
        bufferArrayView<array<u32>>(&out, 96, 12)[2] = 4;
    }
}
