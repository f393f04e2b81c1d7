// The continuing block runs after every iteration, and break if ends the loop there.
// bind out = zeros u32 4
// expect out = u32 1 2 3 4
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var k = 0u;
    loop {
        if k == 50u { continue; }
        continuing {
            k += 1u;
            break if k > i;
        }
    }
    out[i] = k;
}
