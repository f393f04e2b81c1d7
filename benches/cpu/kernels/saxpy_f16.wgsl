// Computes y = a * x + y in f16.
enable f16;
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f16>;
@group(0) @binding(2) var<storage, read_write> y: array<f16>;

@compute @workgroup_size(256)
fn saxpy(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    y[i] = f16(a) * x[i] + y[i];
}
