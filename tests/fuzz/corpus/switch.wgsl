@group(0) @binding(0) var<storage, read_write> out: array<i32>;
fn pick(n: i32) -> i32 {
    switch (n) {
        case 1, 2: { return n * 10; }
        case 3, default: { if (n > 5) { break; } return -n; }
        case -4: {}
    }
    return n ^ 0x55;
}
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = -5; k < 8; k++) {
        switch (k & 3) { case 0: { continue; } case 2: { break; } default: { out[i] += pick(k); } }
    }
}
