// expect: no match for .*operator|invalid operands to binary expression
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        y[i] = x[i] + i + a;
    });
}
