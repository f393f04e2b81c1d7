// Two invocations take forty thousand turns each, in different loops.
// bind n = u32 40000
// bind out = zeros u32 2
// expect out = u32 40000 39999
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    var turns = 0u;
    if i == 0 {
        while turns < n {
            turns++;
        }
    } else {
        loop {
            turns++;
            continuing {
                break if turns == n - 1;
            }
        }
    }
    out[i] = turns;
}
