// expect: a Field.s Size is no less than its type.s own size
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct Tight {
    Field<vec4<f32>, Size<12>> colour;
};

auto program() {
    return kernel("k(x)", {64}, [](Storage<Tight> x) { x.colour = x.colour; });
}
