// Each order of integers, signed and unsigned, on both sides of where the two orders differ.
// bind a = u32 0 1 2147483647 2147483648 4294967295 0 4294967295 2147483648 5
// bind b = u32 0 2 2147483648 2147483647 0 4294967295 4294967294 2147483648 4294967291
// bind out = zeros u32 9
// expect out = u32 170 85 153 102 102 153 170 170 153
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(9) fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let y = b[i];
    let s = bitcast<i32>(x);
    let t = bitcast<i32>(y);
    var bits = select(0u, 1u, x < y);
    bits |= select(0u, 2u, x >= y);
    bits |= select(0u, 4u, s < t);
    bits |= select(0u, 8u, s >= t);
    bits |= select(0u, 16u, !(x > y) && x != y) | select(0u, 32u, !(x <= y) || x == y);
    bits |= select(0u, 64u, !(s > t) && s != t) | select(0u, 128u, !(s <= t) || s == t);
    out[i] = bits;
}
