// Follows light through a scene of spheres under a bright sky, from the eye at the origin along -z: each pixel is the mean of
// `samples` random paths of at most `bounces` reflections. The random numbers depend on the pixel alone.
override width: u32;
override height: u32;
override samples = 4u;
override bounces = 4u;
const far = 1e9f;
const near = 1e-3f;  // where a reflected ray may hit again

struct Sphere {
    centre: vec3f,
    radius: f32,
    colour: vec3f,
    mirror: f32,  // the part of the light that it reflects like a mirror; the rest goes in all directions
}

struct Ray {
    origin: vec3f,
    direction: vec3f,  // of length 1
}

struct Hit {
    distance: f32,
    sphere: u32,
}

// A path on its way back from the eye to the light.
struct Path {
    ray: Ray,
    colour: vec3f,  // the part of the light that arrives at the eye
    random: u32,
}

@group(0) @binding(0) var<storage, read> spheres: array<Sphere>;
@group(0) @binding(1) var<storage, read_write> picture: array<vec4f>;

// The next random number in [0, 1), by PCG.
fn next(random: ptr<function, u32>) -> f32 {
    *random = *random * 747796405 + 2891336453;
    let word = ((*random >> ((*random >> 28) + 4)) ^ *random) * 277803737;
    return f32(((word >> 22) ^ word) >> 8) / 16777216;
}

fn direction_on_sphere(random: ptr<function, u32>) -> vec3f {
    let z = 1 - 2 * next(random);
    let angle = 6.2831853f * next(random);
    return vec3f(sqrt(max(0, 1 - z * z)) * vec2f(cos(angle), sin(angle)), z);
}

// The distance at which the ray enters the sphere, or leaves it if it starts inside; `far` if it misses.
fn distance_to(ray: Ray, sphere: Sphere) -> f32 {
    let away = ray.origin - sphere.centre;
    let half_b = dot(away, ray.direction);
    let squared = half_b * half_b - (dot(away, away) - sphere.radius * sphere.radius);
    if squared < 0 {
        return far;
    }
    let root = sqrt(squared);
    if -half_b - root > near {
        return -half_b - root;
    }
    return select(far, root - half_b, root - half_b > near);
}

// True if the ray hits a sphere: then `hit` is the nearest.
fn find_hit(ray: Ray, hit: ptr<function, Hit>) -> bool {
    (*hit).distance = far;
    for (var i = 0u; i < arrayLength(&spheres); i++) {
        let distance = distance_to(ray, spheres[i]);
        if distance < (*hit).distance {
            *hit = Hit(distance, i);
        }
    }
    return (*hit).distance < far;
}

fn reflect_at(path: ptr<function, Path>, hit: Hit) {
    let sphere = spheres[hit.sphere];
    let ray = (*path).ray;
    let place = ray.origin + hit.distance * ray.direction;
    let normal = (place - sphere.centre) / sphere.radius;
    var random = (*path).random;
    let is_mirrored = next(&random) < sphere.mirror;
    // Shorter than 1, so that it never cancels the normal.
    let scattered = normalize(normal + 0.999 * direction_on_sphere(&random));
    (*path).random = random;
    (*path).ray = Ray(place, select(scattered, reflect(ray.direction, normal), is_mirrored));
    (*path).colour *= sphere.colour;
}

fn sky(direction: vec3f) -> vec3f {
    return mix(vec3f(1), vec3f(0.4, 0.6, 1), 0.5 * (direction.y + 1));
}

// The light of one path; none if it is still between the spheres after all its bounces.
fn light(path: ptr<function, Path>) -> vec3f {
    var hit: Hit;
    for (var bounce = 0u; bounce <= bounces; bounce++) {
        if !find_hit((*path).ray, &hit) {
            return (*path).colour * sky((*path).ray.direction);
        }
        reflect_at(path, hit);
    }
    return vec3f();
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= width || id.y >= height {
        return;
    }
    let pixel = id.y * width + id.x;
    var random = pixel;
    var sum = vec3f();
    for (var sample = 0u; sample < samples; sample++) {
        let x = (f32(id.x) + next(&random)) / f32(width) * 2 - 1;
        let y = 1 - (f32(id.y) + next(&random)) / f32(height) * 2;
        let direction = normalize(vec3f(x * f32(width) / f32(height), y, -2));
        var path = Path(Ray(vec3f(), direction), vec3f(1), random);
        sum += light(&path);
        random = path.random;
    }
    picture[pixel] = vec4f(sum / f32(samples), 1);
}
