// particles.cpp - uses structures in a kernel written in C++: particles fall and bounce, on the
// best backend that is linked. The host's own structures must have WGSL's layout, in which a vec3
// starts at a multiple of 16.
#include <iostream>
#include <vector>

#include <muster/muster.hpp>

using namespace muster::lang;

struct Particle {
    Field<vec3<f32>> position;
    Field<f32> bounce;
    Field<vec3<f32>> velocity;
};
struct Scene {
    Field<f32> seconds;
    Field<u32> count;
};

struct HostParticle {
    float position[3], bounce, velocity[3], padding = 0;
};
struct HostScene {
    float seconds;
    std::uint32_t count;
};
static_assert(sizeof(HostParticle) == byte_size<Particle> && sizeof(HostScene) == byte_size<Scene>);

// .value() throws if there is an error; a program that handles errors checks the result
// and reads error() instead.
int main() {
    auto fall = kernel("fall(scene, particles)", {64}, [](Uniform<Scene> scene, InOut<Particle> particles) {
        auto i = global_invocation_id().x();
        if_(i >= scene.count, [&] { return_(); });
        Var<Particle> p = particles[i];
        p.velocity.y() -= 10.0f * scene.seconds;
        p.position += p.velocity * scene.seconds;
        if_(p.position.y() < 0.0f, [&] {
            p.position.y() = 0.0f;
            p.velocity.y() = -p.velocity.y() * p.bounce;
        });
        particles[i] = p;
    });

    std::vector<HostParticle> host(100, {{0, 1, 0}, 0.5f, {2, 0, 0}});
    const HostScene scene{0.5f, 100};

    auto session = muster::Session::open().value();
    auto ready = session.prepare(muster::validate(fall.value()).value()).value();
    auto particles = session.buffer(host).value();
    muster::Invocations grid{scene.count};
    auto ticket = session.dispatch(ready, {{"scene", scene}, {"particles", particles}}, grid).value();
    ticket.wait().value();
    particles.read(host).value();

    const HostParticle& last = host[99];
    std::cout << "x " << last.position[0] << ", y " << last.position[1] << ", rising at " << last.velocity[1]
              << " on " << ready.backend() << "\n";
    return last.position[0] == 1 && last.position[1] == 0 && last.velocity[1] == 2.5f ? 0 : 1;
}
