// One step of heat on a plate: each inner point becomes the mean of itself and its four neighbours.
override width: u32;
override height: u32;

@group(0) @binding(0) var<storage, read> before: array<f32>;
@group(0) @binding(1) var<storage, read_write> after: array<f32>;

@compute @workgroup_size(64, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x == 0 || id.y == 0 || id.x >= width - 1 || id.y >= height - 1 {
        return;
    }
    let i = id.y * width + id.x;
    after[i] = 0.2 * (before[i] + before[i - 1] + before[i + 1] + before[i - width] + before[i + width]);
}
