// A loop of a hundred thousand turns runs to its end.
// bind n = u32 100000
// bind out = zeros u32 2
// expect out = u32 100000 99999
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    var turns = 0u;
    for (var k = i; k < n; k++) {
        turns++;
    }
    out[i] = turns;
}
