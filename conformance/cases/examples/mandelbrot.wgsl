// A long divergent loop.
// invocations 64 32
// bind out = zeros u32 2048
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(16, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let c = vec2f(f32(id.x) / 64.0 * 3.0 - 2.25, f32(id.y) / 32.0 * 2.5 - 1.25);
    var z = vec2f();
    var k = 0u;
    loop {
        if k == 64u || dot(z, z) > 4.0 { break; }
        z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        k++;
    }
    out[id.y * 64u + id.x] = k;
}
