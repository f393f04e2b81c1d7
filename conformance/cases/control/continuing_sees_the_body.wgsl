// A continuing block sees what the body declares; continue goes there; break if ends the loop after it.
// bind out = zeros i32 3
// expect out = i32 18 4 2
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(1) fn main() {
    var n = 0;
    var sum = 0;
    var skipped = 0;
    loop {
        let step = n + 1;
        if n % 2 == 1 {
            skipped++;
            continue;
        }
        sum += 4;
        continuing {
            sum += step;
            n = step;
            break if n >= 4;
        }
    }
    out[0] = sum;
    out[1] = n;
    out[2] = skipped;
}
