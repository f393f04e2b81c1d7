// expect: no match for .operator\+.|invalid operands
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct Particle {
    Field<vec3<f32>> position;
    Field<f32> mass;
};

auto program() {
    return kernel("k(x)", {64}, [](InOut<Particle> x) { x[0] = x[1] + x[2]; });
}
