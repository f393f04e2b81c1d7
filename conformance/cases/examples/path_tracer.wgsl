// A path tracer: structures as constants, parameters and results, and a loop of bounces.
// workgroups 2 2
// bind image = zeros f32 256
struct Ray { origin: vec3f, direction: vec3f }
struct Material { albedo: vec3f, glow: f32 }
struct Sphere { centre: vec3f, radius: f32, material: Material }
struct Hit { t: f32, normal: vec3f, which: i32 }
const none = Hit(1e30, vec3f(), -1);
const scene = array(Sphere(vec3f(0, -100.5, 0), 100, Material(vec3f(0.5, 0.75, 0.5), 0)),
                    Sphere(vec3f(), 0.5, Material(vec3f(0.75, 0.25, 0.25), 0)),
                    Sphere(vec3f(1, 1.5, 0.5), 0.25, Material(vec3f(1), 8)));
@group(0) @binding(0) var<storage, read_write> image: array<vec4f>;
var<private> state: u32 = 1;
fn random() -> f32 {
    state = state * 747796405 + 2891336453;
    let word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737;
    return f32((word >> 22) ^ (word >> 30)) / 1024;
}
fn meets(ray: Ray, sphere: Sphere, before: Hit, which: i32) -> Hit {
    let offset = ray.origin - sphere.centre;
    let b = dot(offset, ray.direction);
    let inside = b * b - dot(offset, offset) + sphere.radius * sphere.radius;
    if inside < 0 { return before; }
    let t = -b - sqrt(inside);
    if t < 0.001 || t >= before.t { return before; }
    return Hit(t, (offset + t * ray.direction) / sphere.radius, which);
}
fn nearest(ray: Ray) -> Hit {
    var hit = none;
    for (var k = 0; k < 3; k++) { hit = meets(ray, scene[k], hit, k); }
    return hit;
}
fn traced(start: Ray) -> vec3f {
    var ray = start;
    var light = vec3f();
    var weight = vec3f(1);
    for (var bounce = 0; bounce < 4; bounce++) {
        let hit = nearest(ray);
        if hit.which < 0 {
            light += weight * mix(vec3f(1), vec3f(0.5, 0.75, 1), 0.5 + 0.5 * ray.direction.y);
            break;
        }
        let material = scene[hit.which].material;
        light += weight * material.glow;
        weight *= material.albedo;
        let scattered = hit.normal + 0.9 * (vec3f(random(), random(), random()) - 0.5);
        ray = Ray(ray.origin + hit.t * ray.direction, normalize(scattered));
    }
    return light;
}
@compute @workgroup_size(4, 4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let pixel = id.y * 8 + id.x;
    state = pixel * 9781 + 1;
    var sum = vec3f();
    for (var sample = 0; sample < 2; sample++) {
        let at = (vec2f(id.xy) + vec2f(random(), random())) / 4 - 1;
        sum += traced(Ray(vec3f(0, 0.25, 2), normalize(vec3f(at.x, -at.y, -1.5))));
    }
    image[pixel] = vec4f(sum / 2, 1);
}
