// Loads of integers of 8 and 16 bits, whose conversions keep the number.
// bind a = i8 -128 -1 0 127 5 -6 7 -8
// bind b = u8 0 1 128 255 5 6 7 250
// bind c = i16 -32768 -1 0 32767
// bind d = u16 0 1 32768 65535
// bind out = zeros i32 24
// bind floats = zeros f32 4
// expect out = i32 -128 -1 0 127 5 -6 7 -8 0 1 128 255 5 6 7 250 -32768 -1 0 32767 0 1 32768 65535
// expect floats = f32 -128 255 -32768 65535
enable muster_int8_int16;
@group(0) @binding(0) var<storage> a: array<i8>;
@group(0) @binding(1) var<storage> b: array<u8>;
@group(0) @binding(2) var<storage> c: array<i16>;
@group(0) @binding(3) var<storage> d: array<u16>;
@group(0) @binding(4) var<storage, read_write> out: array<i32>;
@group(0) @binding(5) var<storage, read_write> floats: array<f32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(a[i]);
    out[i + 8] = i32(u32(b[i]));
    if (i < 4) {
        out[i + 16] = i32(c[i]);
        out[i + 20] = i32(d[i]);
    }
    if (i == 0) {
        floats[0] = f32(a[0]);
        floats[1] = f32(b[3]);
        floats[2] = f32(c[0]);
        floats[3] = f32(d[3]);
    }
}
