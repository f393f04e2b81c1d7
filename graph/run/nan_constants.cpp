#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/graph/run/nan_constants.hpp>

namespace muster::graph {
namespace {

/// The first element whose bits, without the sign, are more than infinity's.
template <class Bits>
std::optional<std::size_t> first_nan(const Tensor& tensor, Bits infinity) {
    const std::byte* bytes = tensor.bytes().data();
    const std::size_t count = tensor.bytes().size() / sizeof(Bits);
    const auto is_nan = [&](std::size_t i) {
        Bits bits;
        std::memcpy(&bits, bytes + i * sizeof(Bits), sizeof(Bits));
        return static_cast<Bits>(bits << 1) > static_cast<Bits>(infinity << 1);
    };
    constexpr std::size_t block =
        4096;  // without a branch for each element, which takes several times as long
    for (std::size_t begin = 0; begin < count; begin += block) {
        const std::size_t end = std::min(count, begin + block);
        bool has_one = false;
        for (std::size_t i = begin; i < end; ++i) has_one |= is_nan(i);
        for (std::size_t i = begin; has_one && i < end; ++i)
            if (is_nan(i)) return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> first_nan(const Tensor& tensor) {
    if (tensor.element() == ElementType::f32) return first_nan<std::uint32_t>(tensor, 0x7f800000);
    if (tensor.element() == ElementType::f16) return first_nan<std::uint16_t>(tensor, 0x7c00);
    return std::nullopt;
}

}  // namespace

std::optional<std::string> note_of_nans(const Graph& graph) {
    std::string first;
    std::size_t others = 0;
    for (std::uint32_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value({i});
        const auto at = value.constant ? first_nan(*value.constant) : std::nullopt;
        if (!at) continue;
        if (first.empty())
            first = fmt::format("Constant \"{}\" has a NaN, at element {}", printable(value.name), *at);
        else
            ++others;
    }
    if (first.empty()) return std::nullopt;
    if (others == 1) first += ", and so has another one";
    if (others > 1) first += fmt::format(", and so have {} others", others);
    return first + ": what is computed from it may be NaN.";
}

}  // namespace muster::graph
