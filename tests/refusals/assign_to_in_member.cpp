// expect: an In or Uniform is read-only: declare the parameter as InOut or Out
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct Particle {
    Field<vec3<f32>> position;
    Field<f32> mass;
};

auto program() {
    return kernel("k(x)", {64}, [](In<Particle> x) { x[global_invocation_id().x()].mass = 1.0f; });
}
