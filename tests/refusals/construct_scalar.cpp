// expect: construct makes structures, fixed-size arrays and matrices; vec<f32>.* makes vectors
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

auto program() {
    return kernel("k(x)", {64}, [](Storage<vec2<f32>> x) { x = construct<vec2<f32>>(1.0f, 2.0f); });
}
