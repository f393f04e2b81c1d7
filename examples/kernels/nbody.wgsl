// One leapfrog step of bodies that attract each other, over all pairs; softening limits the force between close ones.
struct Body {
    position: vec3<f32>,
    mass: f32,
    velocity: vec3<f32>,
}

struct Settings {
    time_step: f32,
    softening: f32,
}

@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read> before: array<Body>;
@group(0) @binding(2) var<storage, read_write> after: array<Body>;

fn pull(at: vec3<f32>, other: Body) -> vec3<f32> {
    let away = other.position - at;
    let squared = dot(away, away) + settings.softening * settings.softening;
    return away * (other.mass / (squared * sqrt(squared)));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&before) {
        return;
    }
    var body = before[id.x];
    var acceleration: vec3<f32>;
    for (var i = 0u; i < arrayLength(&before); i++) {
        if i != id.x {
            acceleration += pull(body.position, before[i]);
        }
    }
    body.velocity += acceleration * settings.time_step;
    body.position += body.velocity * settings.time_step;
    after[id.x] = body;
}
