// break leaves the innermost loop, continue goes to its continuing block.
// bind out = zeros u32 8
// expect out = u32 0 1 1 4 4 9 9 16
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var k = 0u; k < 100u; k++) {
        if k > i { break; }
        if k % 2u == 0u { continue; }
        sum += k;
    }
    out[i] = sum;
}
