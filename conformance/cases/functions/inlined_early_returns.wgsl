// A called function's return leaves that function only, also out of nested loops.
// bind out = zeros u32 6
// expect out = u32 1000 1001 4 9 16 25
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn find_square(n: u32) -> u32 {
    if n < 2u { return n + 1000u; }
    for (var a = 0u; a < 10u; a++) {
        for (var b = 0u; b < 10u; b++) {
            switch b {
                case 7u { return 77u; }
                default {}
            }
            if a == n && b == a { return a * b; }
            if b == 6u { break; }
        }
    }
    return 5555u;
}
@compute @workgroup_size(6) fn main(@builtin(local_invocation_index) i: u32) { out[i] = find_square(i); }
