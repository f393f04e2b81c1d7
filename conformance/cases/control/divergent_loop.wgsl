// Each invocation loops its own number of times.
// bind out = zeros u32 8
// expect out = u32 0 1 3 6 10 15 21 28
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var k = 0u; k <= i; k++) { sum += k; }
    out[i] = sum;
}
