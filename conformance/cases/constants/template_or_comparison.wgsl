// `a < b` and `c > d` are comparisons if no template list closes; parentheses separate others.
// bind out = zeros u32 5
// expect out = u32 1 0 1 1 3
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    let a = 1u;
    let b = 2u;
    let c = 3u;
    out[0] = u32(a < b);
    out[1] = u32(a < b && b > c);
    out[2] = select(0u, 1u, (a < b) == (c > b));
    if (a < b || c > (a)) { out[3] = 1; }
    out[4] = array<vec2<u32>, 2>(vec2<u32>(a), vec2(c))[1 << 0u].x;
}
