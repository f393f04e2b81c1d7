// Bits, shifts and comparisons of 64-bit integers.
// bind x = i64 5 -9223372036854775808 123456789012345 -7 9223372036854775807 -1 0 88
// bind y = i64 88 -1 0 9223372036854775807 -7 123456789012345 -9223372036854775808 5
// bind out = zeros i64 80
// expect out = i64 5 -18014398509481984 470950275 -1 134217727 -1 0 0 2 1 23 62 63 64 0 3 61 0 17 0 1 0 64 57 0 63 0 0 0 0 64 3 -6917529027641081856 1 -6990800065601339392 -6917529027641081857 -2 -1 0 1873497444986126336 0 0 117737568 -1 -1 -1 0 0 94489280517 -9222246138021675008 101572473 -7 9223372030412324863 -149677462781953 0 5368709208 2 62 46 2 62 -1 -1 6 -94 -9223372036854775808 -123456789012346 9223372036854775801 9223372036854775801 123456789012345 9223372036854775807 -94 27 27 16 19 24 19 8 16
enable muster_int64;
@group(0) @binding(0) var<storage> x: array<i64, 8>;
@group(0) @binding(1) var<storage> y: array<i64, 8>;
@group(0) @binding(2) var<storage, read_write> out: array<i64, 80>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    let a = x[i];
    let b = y[i];
    out[i] = a >> (9 * i);
    out[8 + i] = countOneBits(a);
    out[16 + i] = i64(countLeadingZeros(u64(a)));
    out[24 + i] = countTrailingZeros(a);
    out[32 + i] = reverseBits(a);
    out[40 + i] = extractBits(a, 20, 40);
    out[48 + i] = insertBits(a, b, 30, 20);
    out[56 + i] = firstLeadingBit(a);
    out[64 + i] = (a & b) | (~a ^ b);
    out[72 + i] = i64(a < b) + 2 * i64(a <= b) + 4 * i64(a == b) + 8 * i64(u64(a) < u64(b)) + select(0, 16li, bool(a));
}
