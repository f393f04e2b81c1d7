// One stage of the Fourier transform of 2^n complex numbers: Stockham's method of radix 2, whose result needs no
// reordering. A stage joins pairs of transforms of `length` numbers to transforms of twice as many. Dispatch it for length
// 1, 2, 4, ... 2^(n - 1), on 2^(n - 1) invocations.
const pi = 3.14159265358979;

@group(0) @binding(0) var<uniform> length: u32;
@group(0) @binding(1) var<storage, read> before: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> after: array<vec2f>;

fn multiply(a: vec2f, b: vec2f) -> vec2f {
    return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let pairs = arrayLength(&before) / 2;
    if id.x >= pairs {
        return;
    }
    let k = id.x % length;
    let angle = -pi * f32(k) / f32(length);
    let even = before[id.x];
    let odd = multiply(before[id.x + pairs], vec2f(cos(angle), sin(angle)));
    let to = 2 * id.x - k;
    after[to] = even + odd;
    after[to + length] = even - odd;
}
