// expect: could not convert|not contextually convertible
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        if (x[i] < a) y[i] = 1.0f;
    });
}
