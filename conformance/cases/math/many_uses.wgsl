// Functions used so often that they are called, not inlined, give the same bits as with few uses.
// workgroups 2
// bind a = random f32 128 11
// bind out = zeros f32 512
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;

// Six scalars of sin, five of pow, four of tan, one of exp.
fn mixed(x: f32, k: f32) -> vec4f {
    let v = vec4f(x, x + k, x * k, 0.5 - x);
    let p = pow(abs(v) + 0.25, vec4f(k, 0.5, -1.0, 2.0));
    return sin(v * 3.0) + p * tan(v) + exp(-abs(x)) * sin(k) + vec4f(sin(x)) * pow(2.0, x);
}

@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    let x = a[i] * 4.0 - 2.0;
    var sum = mixed(x, 0.5);
    sum += mixed(x, 1.5);
    sum -= mixed(-x, 2.5);
    if i % 3 == 0 {
        sum += mixed(x * 0.5, 3.5);
        sum *= mixed(x + 1.0, 0.25);
    }
    sum += mixed(sum.x, 4.5) + mixed(sum.y, 5.5) + mixed(sum.z, 6.5) + mixed(sum.w, 7.5);
    for (var k = 0u; k < i % 5u; k++) {
        sum = mixed(sum.x * 0.125, f32(k)) + mixed(0.25, f32(k + i));
    }
    out[i] = sum;
}
