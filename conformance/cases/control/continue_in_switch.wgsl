// In a switch inside a loop, continue goes on with the loop and break leaves only the switch.
// bind out = zeros u32 2
// expect out = u32 1112 5
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    var n = 0u;
    var sum = 0u;
    for (; n < 5; n++) {
        switch n {
            case 0: { continue; }
            case 1: { sum += 1000; break; }
            case 2, default: { sum += 5; if n == 4 { break; } sum += 45; continue; }
            case 3: { }
        }
        sum += 1;
    }
    out[0] = sum + 4 + 50;
    out[1] = n;
}
