struct P { at: vec3f, speed: f32, tail: array<i32, 4> }
@group(0) @binding(0) var<storage, read_write> all: array<P>;
var<private> mine: array<P, 2>;
var<workgroup> shared_one: P;
fn shift(p: ptr<storage, P, read_write>, by: f32) { (*p).at += by * (*p).speed; p.tail[1]++; }
fn add(to: ptr<function, i32>, n: i32) -> i32 { *to += n; return *to; }
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    shift(&all[i], 0.5);
    var n = 3;
    let q = &mine[i & 1];
    q.tail[add(&n, 2)] = n;
    if (i == 0) { shared_one = *q; }
    workgroupBarrier();
    all[i].tail[i % 5] = shared_one.tail[2] + q.tail[n];
}
