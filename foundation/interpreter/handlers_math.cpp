#include <array>
#include <bit>

#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::interpreter {
namespace {

// b, c: operands, equal if there is only one; f: the Op.
template <unsigned width, bool flush>
const Instruction* math_group(const Instruction* i, std::uint32_t* r, Machine&) {
    const auto flushed = [](float x) { return flush ? semantics::flush(x) : x; };
    for (unsigned k = 0; k < width; ++k) {
        const float x = flushed(std::bit_cast<float>(r[i->b + k]));
        const float y = flushed(std::bit_cast<float>(r[i->c + k]));
        r[i->a + k] = std::bit_cast<std::uint32_t>(flushed(math::evaluate(static_cast<Op>(i->f), x, y)));
    }
    return i + 1;
}

template <bool flush>
constexpr std::array<Handler, 4> by_width{math_group<1, flush>, math_group<2, flush>, math_group<3, flush>,
                                          math_group<4, flush>};

}  // namespace

Handler math_handler(Op op, std::uint32_t width, bool flush) {
    if (width < 1 || width > 4 || info(op).group != OpGroup::math) return nullptr;
    return flush ? by_width<true>[width - 1] : by_width<false>[width - 1];
}

}  // namespace muster::interpreter
