// The left side is evaluated once, and every compound operator works.
// bind out = u32 7 7 7 7 7 7 7 7 7 7 0
// expect out = u32 9 5 14 3 1 3 7 5 28 3 10
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> calls: u32;
fn next() -> u32 { calls++; return calls - 1u; }
@compute @workgroup_size(1) fn main() {
    out[next()] += 2u;
    out[next()] -= 2u;
    out[next()] *= 2u;
    out[next()] /= 2u;
    out[next()] %= 2u;
    out[next()] &= 3u;
    out[next()] |= 3u;
    out[next()] ^= 2u;
    out[next()] <<= 2u;
    out[next()] >>= 1u;
    out[10] = calls;
}
