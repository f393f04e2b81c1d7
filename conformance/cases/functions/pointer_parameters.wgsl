// A function may change memory through its pointer parameters.
// bind out = zeros i32 3
// expect out = i32 7 3 12
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
fn swap(a: ptr<function, i32>, b: ptr<function, i32>) {
    let t = *a;
    *a = *b;
    *b = t;
}
fn bump(p: ptr<private, i32>) { *p += 5; }
var<private> counter: i32 = 7;
@compute @workgroup_size(1) fn main() {
    var x = 3;
    var y = 7;
    swap(&x, &y);
    out[0] = x;
    out[1] = y;
    bump(&counter);
    out[2] = counter;
}
