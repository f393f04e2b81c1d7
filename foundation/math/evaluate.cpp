#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/math/functions.hpp>
#include <muster/foundation/math/halves.hpp>

namespace muster::math {

namespace {
template <Number F>
F applied(Op op, F a, F b) {
    const auto function = functions<F>[static_cast<std::size_t>(op)];
    return function == nullptr ? F{not_a_number} : function(a, b);
}
}  // namespace

float evaluate(Op op, float a, float b) { return applied(op, a, b); }
double evaluate(Op op, double a, double b) { return applied(op, a, b); }

f16 evaluate(Op op, f16 a, f16 b) { return f16(off_halfway<float>(op, a, evaluate(op, float{a}, float{b}))); }

}  // namespace muster::math
