#include <array>
#include <cstring>
#include <numbers>

#include <muster/measuring/whole_kernels/data.hpp>

namespace muster::kernels {

namespace {

struct Vector {
    double x = 0, y = 0, z = 0;
    Vector operator+(Vector v) const { return {x + v.x, y + v.y, z + v.z}; }
    Vector operator-(Vector v) const { return {x - v.x, y - v.y, z - v.z}; }
    Vector operator*(Vector v) const { return {x * v.x, y * v.y, z * v.z}; }
    Vector operator*(double s) const { return {x * s, y * s, z * s}; }
    double dot(Vector v) const { return x * v.x + y * v.y + z * v.z; }
    Vector unit() const { return *this * (1 / std::sqrt(dot(*this))); }
};

struct Sphere {
    std::array<float, 3> centre;
    float radius;
    std::array<float, 3> colour;
    float mirror;
};

Vector vector_of(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

/// PCG-RXS-M-XS of 32 bits, its upper 24 bits as a number in [0, 1).
class Pcg {
  public:
    explicit Pcg(std::uint32_t state) : state_(state) {}
    double next() {
        state_ = state_ * 747796405u + 2891336453u;
        const std::uint32_t word = ((state_ >> ((state_ >> 28u) + 4u)) ^ state_) * 277803737u;
        return ((word >> 22u ^ word) >> 8u) * 0x1p-24;
    }

  private:
    std::uint32_t state_;
};

/// The distance to the nearest sphere along the ray, and that sphere; null if there is none.
std::pair<double, const Sphere*> nearest(const std::vector<Sphere>& scene, Vector origin, Vector direction) {
    std::pair<double, const Sphere*> found{1e9, nullptr};
    for (const Sphere& sphere : scene) {
        const Vector away = origin - vector_of(sphere.centre);
        const double b = 2 * away.dot(direction), c = away.dot(away) - double{sphere.radius} * sphere.radius;
        const double discriminant = b * b - 4 * c;
        if (discriminant < 0) continue;
        for (const double t : {(-b - std::sqrt(discriminant)) / 2, (-b + std::sqrt(discriminant)) / 2})
            if (t > 1e-3 && t < found.first) found = {t, &sphere};
    }
    return found;
}

/// The light that comes to `origin` from `direction`, after at most `bounces` reflections: the rendering
/// equation, with a random one of each reflection's directions.
Vector light_from(const std::vector<Sphere>& scene, Vector origin, Vector direction, int bounces,
                  Pcg& random) {
    const auto [distance, sphere] = nearest(scene, origin, direction);
    if (sphere == nullptr) {
        const double up = (direction.y + 1) / 2;
        return Vector{1, 1, 1} * (1 - up) + Vector{0.4, 0.6, 1} * up;
    }
    const Vector place = origin + direction * distance;
    const Vector normal = (place - vector_of(sphere->centre)) * (1.0 / sphere->radius);
    const bool mirrors = random.next() < sphere->mirror;
    const double z = 1 - 2 * random.next(), angle = 2 * std::numbers::pi * random.next();
    const double across = std::sqrt(1 - z * z);
    const Vector scattered = normal + Vector{across * std::cos(angle), across * std::sin(angle), z} * 0.999;
    if (bounces == 0) return {};
    const Vector onward = mirrors ? direction - normal * (2 * direction.dot(normal)) : scattered.unit();
    return vector_of(sphere->colour) * light_from(scene, place, onward, bounces - 1, random);
}

std::vector<Sphere> random_scene(std::uint32_t seed) {
    Random random(seed);
    std::vector<Sphere> scene{{{0, -101, -4}, 100, {0.7f, 0.7f, 0.6f}, 0}};  // the ground
    for (int i = 0; i < 8; ++i) {
        const float x = random.between(-2.5f, 2.5f), y = random.between(-0.7f, 1), z = random.between(-7, -4);
        const float red = random.between(0.2f, 0.9f), blue = random.between(0.2f, 0.9f);
        scene.push_back({{x, y, z}, random.between(0.3f, 0.7f), {red, 0.5f, blue}, random.between(0, 1)});
    }
    return scene;
}

}  // namespace

Job path_tracer(Size size) {
    constexpr int samples = 4, bounces = 4;  // the kernel's defaults
    const std::uint32_t width = 20 * size.scale, height = 14 * size.scale;
    const std::vector<Sphere> scene = random_scene(size.seed);
    Words spheres(scene.size() * sizeof(Sphere) / 4);
    std::memcpy(spheres.data(), scene.data(), scene.size() * sizeof(Sphere));
    const std::size_t pixels = std::size_t{width} * height;
    Job job{.arrays = {{"spheres", spheres}, {"picture", Words(4 * pixels)}},
            .overrides = {override_of("width", width), override_of("height", height)},
            .steps = {{.grid = Invocations{width, height}}}};
    job.expected = [=] {
        Doubles picture;
        for (std::uint32_t pixel = 0; pixel < pixels; ++pixel) {
            Pcg random(pixel);
            Vector sum;
            const std::uint32_t column = pixel % width, row = pixel / width;
            for (int sample = 0; sample < samples; ++sample) {
                const double x = (column + random.next()) / width * 2 - 1;
                const double y = 1 - (row + random.next()) / height * 2;
                const Vector direction = Vector{x * width / height, y, -2}.unit();
                sum = sum + light_from(scene, {}, direction, bounces, random);
            }
            for (const double light : {sum.x, sum.y, sum.z}) picture.push_back(light / samples);
            picture.push_back(1);
        }
        // Reflections at curved surfaces multiply the error of a direction, by about ten each. A path that
        // just hits a sphere may miss it in the other precision.
        return std::vector{Expected{
            .array = "picture", .values = std::move(picture), .absolute = 1e-3, .strays = 4 * pixels / 100}};
    };
    return job;
}

}  // namespace muster::kernels
