// An inner name hides an outer one, a module's, and a built-in function's; the outer one comes back after.
// bind out = zeros i32 8
// expect out = i32 1 2 6 2 10 21 1 2
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
const x = 1;
fn min(a: i32) -> i32 { return a + 20; }
@compute @workgroup_size(1) fn main() {
    out[0] = x;
    let x = x + 1;
    out[1] = x;
    {
        let x = x * 3;
        out[2] = x;
    }
    out[3] = x;
    for (var x = 0; x < 2; x++) {
        var x = 5 * (x + 1);
        out[4] = x;
        x = -1;
    }
    out[5] = min(1);
    let max = 1;
    out[6] = max;
    out[7] = x;
}
