// mix, smoothstep, saturate and clamp.
// bind a = f32 0 0.25 0.5 1
// bind out = zeros f32 12
// expect out = f32 2 3 4 6 0 0 0.5 1 0 0.5 1 1
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = mix(2.0, 6.0, a[i]);
    out[i + 4] = smoothstep(0.25, 0.75, a[i]);
    out[i + 8] = saturate(2.0 * a[i]);
}
