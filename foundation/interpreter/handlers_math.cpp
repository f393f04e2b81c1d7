#include <array>

#include <muster/foundation/interpreter/components.hpp>
#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/math/evaluate.hpp>

namespace muster::interpreter {
namespace {

// b, c: operands, equal if there is only one; f: the Op. T is float, f16 or double.
template <class T, bool flush, unsigned width>
const Instruction* math_group(const Instruction* i, std::uint32_t* r, Machine&) {
    for (unsigned k = 0; k < width; ++k) {
        const T x = operand<T, flush>(r + i->b, k), y = operand<T, flush>(r + i->c, k);
        assign<flush>(r + i->a, k, math::evaluate(static_cast<Op>(i->f), x, y));
    }
    return i + 1;
}

template <class T, bool flush>
constexpr std::array<Handler, 4> by_width{math_group<T, flush, 1>, math_group<T, flush, 2>,
                                          math_group<T, flush, 3>, math_group<T, flush, 4>};

}  // namespace

Handler math_handler(Op op, Scalar scalar, std::uint32_t width, bool flush) {
    if (width < 1 || width > 4 || info(op).group != OpGroup::math) return nullptr;
    if (scalar == Scalar::f16) return by_width<f16, false>[width - 1];
    if (scalar == Scalar::f64) return by_width<double, false>[width - 1];
    return flush ? by_width<float, true>[width - 1] : by_width<float, false>[width - 1];
}

}  // namespace muster::interpreter
