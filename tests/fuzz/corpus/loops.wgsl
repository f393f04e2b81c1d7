@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
    var sum = 0.0;
    for (var i = 0u; i < arrayLength(&a); i++) {
        if (a[i] > 3) { continue; }
        sum += a[i] * f32(i);
        if (sum > 100) { break; }
    }
    var n = id.x;
    while (n > 1) { n /= 2; sum -= 1; }
    loop {
        n += 3;
        if (n == 9) { return; }
        continuing { sum *= 0.5; break if n > 20; }
    }
    out[id.x] = sum;
}
