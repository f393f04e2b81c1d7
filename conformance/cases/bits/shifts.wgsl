// Shift counts are modulo 32; >> of a signed value keeps its sign.
// bind a = i32 -8 1 1 -1
// bind s = u32 1 31 33 64
// bind out = zeros i32 12
// expect out = i32 -16 -2147483648 2 -1 -4 0 0 -1 2147483644 0 0 -1
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> s: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] << s[i];
    out[i + 4] = a[i] >> s[i];
    out[i + 8] = i32(u32(a[i]) >> s[i]);
}
