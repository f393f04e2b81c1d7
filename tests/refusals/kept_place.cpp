// expect: write Value<f32> v = x\[i\] to read it there, once, and x\[i\] = ... to assign
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        auto element = y[i];
        y[i] = element + x[i] + a;
    });
}
