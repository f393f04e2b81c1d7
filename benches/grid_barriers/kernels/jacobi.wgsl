// One sweep of examples/jacobi/jacobi.wgsl: the host swaps the arrays.
@group(0) @binding(0) var<uniform> size: vec2u;
@group(0) @binding(1) var<storage, read> now: array<f32>;
@group(0) @binding(2) var<storage, read_write> next: array<f32>;

@compute @workgroup_size(32, 8)
fn sweep(@builtin(global_invocation_id) id: vec3u) {
    let width = size.x;
    if id.x == 0 || id.y == 0 || id.x + 1 >= width || id.y + 1 >= size.y {
        return;
    }
    let at = id.y * width + id.x;
    next[at] = 0.25 * (now[at - 1] + now[at + 1] + now[at - width] + now[at + width]);
}
