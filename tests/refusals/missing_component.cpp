// expect: the value has no such component
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        y[i] = vec<f32>(x[i], a).z();
    });
}
