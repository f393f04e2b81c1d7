// Nested loops with a break out of the inner one only.
// bind out = zeros u32 5
// expect out = u32 0 1 3 6 10
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(5) fn main(@builtin(local_invocation_index) i: u32) {
    var total = 0u;
    var a = 0u;
    while a < i {
        var b = 0u;
        while true {
            if b > a { break; }
            b++;
        }
        total += b;
        a++;
    }
    out[i] = total;
}
