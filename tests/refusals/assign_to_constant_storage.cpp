// expect: a Storage<const T> is read-only: declare the parameter as Storage<T>
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

auto program() {
    return kernel("k(x, y)", {64}, [](Storage<const f32> x, Storage<f32> y) { x = y; });
}
