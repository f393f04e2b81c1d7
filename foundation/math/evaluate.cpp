#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/math/functions.hpp>
#include <muster/foundation/math/halves.hpp>

namespace muster::math {

float evaluate(Op op, float a, float b) {
    const auto function = functions<float>[static_cast<std::size_t>(op)];
    return function == nullptr ? not_a_number : function(a, b);
}

f16 evaluate(Op op, f16 a, f16 b) { return f16(off_halfway<float>(op, a, evaluate(op, float{a}, float{b}))); }

}  // namespace muster::math
