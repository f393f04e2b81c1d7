// Function, private and workgroup variables are zero before use, each time a declaration is reached.
// bind out = zeros u32 4
// expect out = u32 1 1 1 0
var<private> p: array<u32, 4>;
var<workgroup> w: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    for (var k = 0u; k < 3u; k++) {
        var fresh: u32;
        fresh += 1u;
        out[k] = fresh;
    }
    out[3] = p[2] + w[63];
}
