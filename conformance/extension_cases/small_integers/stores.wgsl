// Stores keep the low bits, and leave the neighbours in the same word to other invocations.
// bind a = i8 9 9 9 9 9 9 9 9
// bind b = u8 9 9 9 9 9 9 9 9
// bind c = i16 9 9 9 9 9 9 9 9
// bind d = u16 9 9 9 9 9 9 9 9
// bind x = i32 -129 -128 255 256 127 128 65536 -65537
// expect a = i8 127 -128 -1 0 127 -128 0 -1
// expect b = u8 127 128 255 0 127 128 0 255
// expect c = i16 -129 -128 255 256 127 128 0 -1
// expect d = u16 65407 65408 255 256 127 128 0 65535
enable muster_int8_int16;
@group(0) @binding(0) var<storage, read_write> a: array<i8>;
@group(0) @binding(1) var<storage, read_write> b: array<u8>;
@group(0) @binding(2) var<storage, read_write> c: array<i16>;
@group(0) @binding(3) var<storage, read_write> d: array<u16>;
@group(0) @binding(4) var<storage> x: array<i32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    a[i] = i8(x[i]);
    b[i] = u8(u32(x[i]));
    c[i] = i16(x[i]);
    d[i] = u16(x[i]);
}
