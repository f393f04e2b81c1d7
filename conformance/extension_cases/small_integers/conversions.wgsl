// Conversions cut a number to 8 or 16 bits even if it is never stored in so few.
// bind x = i32 -1 127 128 255 256 -129 32768 65535 -32769 305419896
// bind out = zeros i32 60
// expect out = i32 -1 255 -1 65535 255 -1 127 127 127 127 127 127 -128 128 128 128 128 128 -1 255 255 255 255 255 0 0 256 256 0 256 127 127 -129 65407 127 -129 0 0 -32768 32768 0 -32768 -1 255 -1 65535 255 -1 -1 255 32767 32767 255 32767 120 120 22136 22136 120 22136
enable muster_int8_int16;
@group(0) @binding(0) var<storage> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(10) fn main(@builtin(local_invocation_index) i: u32) {
    let n = x[i];
    let first = i * 6;
    out[first] = i32(i8(n));
    out[first + 1] = i32(u8(n));
    out[first + 2] = i32(i16(n));
    out[first + 3] = i32(u16(n));
    out[first + 4] = i32(f32(u8(u32(n))));
    out[first + 5] = i32(f32(i16(n)));
}
