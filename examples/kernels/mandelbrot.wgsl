// The number of steps until z*z + c leaves the circle of radius 2, for each point of a rectangle of the plane.
override width: u32 = 512;
override height: u32 = 512;
override limit: u32 = 256;

const lower_left = vec2(-2.0, -1.25);
const upper_right = vec2(0.5, 1.25);

@group(0) @binding(0) var<storage, read_write> steps: array<u32>;

fn squared(z: vec2f) -> vec2f {
    return vec2(z.x * z.x - z.y * z.y, 2 * z.x * z.y);
}

fn escape_steps(c: vec2f) -> u32 {
    var z = vec2f();
    for (var i = 0u; i < limit; i++) {
        if dot(z, z) > 4 {
            return i;
        }
        z = squared(z) + c;
    }
    return limit;
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= width || id.y >= height {
        return;
    }
    let place = (vec2f(id.xy) + 0.5) / vec2f(f32(width), f32(height));
    steps[id.y * width + id.x] = escape_steps(mix(lower_left, upper_right, place));
}
