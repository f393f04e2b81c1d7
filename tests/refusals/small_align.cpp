// expect: a Field.s Align is a power of two, and no less than its type.s own alignment
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct Tight {
    Field<vec4<f32>, Align<8>> colour;
};

auto program() {
    return kernel("k(x)", {64}, [](Storage<Tight> x) { x.colour = x.colour; });
}
