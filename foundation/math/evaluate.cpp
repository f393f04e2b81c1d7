#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/math/functions.hpp>

namespace muster::math {

float evaluate(Op op, float a, float b) {
    const auto function = functions<float>[static_cast<std::size_t>(op)];
    return function == nullptr ? not_a_number : function(a, b);
}

}  // namespace muster::math
