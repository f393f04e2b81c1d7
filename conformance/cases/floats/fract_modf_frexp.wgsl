// fract, modf and frexp split numbers, ldexp combines the parts.
// bind a = f32 3.75 -3.75 0.5 1024
// bind out = zeros f32 24
// expect out = f32 0.75 0.25 0.5 0 0.75 -0.75 0.5 0 3 -3 0 1024 0.9375 -0.9375 0.5 0.5 2 2 0 11 3.75 -3.75 0.5 1024
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = fract(a[i]);
    let m = modf(a[i]);
    out[i + 4] = m.fract;
    out[i + 8] = m.whole;
    let f = frexp(a[i]);
    out[i + 12] = f.fract;
    out[i + 16] = f32(f.exp);
    out[i + 20] = ldexp(f.fract, f.exp);
}
