// expect: each field of a structure is a Field<...>
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct Mixed {
    Field<f32> a;
    float b;
};

auto program() {
    return kernel("k(x)", {64}, [](Storage<Mixed> x) { x.a = 1.0f; });
}
