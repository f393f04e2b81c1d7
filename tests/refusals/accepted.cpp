// expect:
#include <muster/foundation/kernel.hpp>

using namespace muster::lang;

auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        if_((x[i] < a) & (i < 7u), [&] { y[i] = x[i]; });
    });
}
