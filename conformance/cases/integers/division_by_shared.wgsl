// Division and remainder by constants and by values that all invocations share, signed and unsigned, by 0 and -1 too.
// bind a = i32 -7 7 -2147483648 2147483647 -1 0 100 -100
// bind by = i32 0 -1 3 -5 -2147483648
// bind out = zeros i32 128
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> by: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let u = bitcast<u32>(x);
    out[i] = x / 3;
    out[i + 8] = x % 3;
    out[i + 16] = x / -2;
    out[i + 24] = bitcast<i32>(u / 3u);
    out[i + 32] = bitcast<i32>(u % 10u);
    for (var k = 0u; k < 5u; k++) {
        let divisor = by[k];
        out[40u + k * 8u + i] = (x / divisor) ^ ((x % divisor) << 3u);
        out[80u + k * 8u + i] = bitcast<i32>((u / bitcast<u32>(divisor)) ^ ((u % bitcast<u32>(divisor)) << 3u));
    }
    // On shared values alone.
    out[120u + i % 4u] = by[3] / by[1] + by[4] % by[2];
    out[124u + i % 4u] = bitcast<i32>(bitcast<u32>(by[4]) / bitcast<u32>(by[2]) + bitcast<u32>(by[3]) % 7u);
}
