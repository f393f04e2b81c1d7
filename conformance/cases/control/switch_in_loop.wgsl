// break leaves the switch, continue ends the iteration.
// bind out = zeros i32 4
// expect out = i32 0 1 3 6
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0;
    for (var k = 0; k <= i32(i); k++) {
        switch k {
            case 0 { continue; }
            case 2, -5 { break; }
            default {}
        }
        sum += k;
    }
    out[i] = sum;
}
