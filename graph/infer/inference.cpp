#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {

std::unexpected<Error> wrong(std::string message, std::string fix) {
    return fail(ErrorCode::invalid_program, std::move(message), std::move(fix));
}

std::string Inference::describe(std::size_t input) const {
    return fmt::format("Input \"{}\" ({}) is {}", printable(operands_[input].name),
                       info(op_).input(input).name, to_string(fact(input).type));
}

Result<std::vector<std::int64_t>> Inference::numbers(std::size_t input) const {
    const std::vector<Dimension>* known = contents(input);
    std::vector<std::int64_t> numbers;
    if (known) {
        for (const Dimension& item : *known) {
            if (item.is_number()) numbers.push_back(item.number());
        }
    }
    if (!known || numbers.size() != known->size()) {
        return wrong(
            fmt::format("{}, and its contents aren't known: the rank of what comes out depends on them.",
                        describe(input)),
            "make it a constant");
    }
    return numbers;
}

Result<void> Inference::expect_rank(std::size_t input, std::size_t expected) const {
    if (rank(input) == expected) return {};
    return wrong(fmt::format("{}, and must have rank {}.", describe(input), expected));
}
Result<void> Inference::expect_rank_of_at_least(std::size_t input, std::size_t expected) const {
    if (rank(input) >= expected) return {};
    return wrong(fmt::format("{}, and must have a rank of at least {}.", describe(input), expected));
}

Result<std::size_t> Inference::known_length(std::size_t input) const {
    TRY(expect_rank(input, 1));
    const auto length = shape(input)[0].known();
    if (length && *length <= 64) return static_cast<std::size_t>(*length);
    return wrong(
        fmt::format("{}, and its length isn't a number up to 64: the rank of what comes out depends on it.",
                    describe(input)));
}

Result<std::size_t> axis_index(std::int64_t axis, std::size_t rank) {
    const auto signed_rank = static_cast<std::int64_t>(rank);
    if (axis >= -signed_rank && axis < signed_rank) {
        return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
    }
    return wrong(fmt::format("The axis {} isn't one of a tensor of rank {}.", axis, rank),
                 fmt::format("give one from {} to {}", -signed_rank, signed_rank - 1));
}

Result<std::vector<std::size_t>> axis_indices(std::span<const std::int64_t> axes, std::size_t rank) {
    std::vector<std::size_t> indices;
    for (const std::int64_t axis : axes) indices.push_back(TRY(axis_index(axis, rank)));
    std::ranges::sort(indices);
    const auto twice = std::ranges::adjacent_find(indices);
    if (twice != indices.end()) return wrong(fmt::format("The axis {} is given twice.", *twice));
    return indices;
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
    const Shape& longer = a.size() >= b.size() ? a : b;
    const Shape& shorter = a.size() >= b.size() ? b : a;
    Shape result = longer;
    const std::size_t offset = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        Dimension& here = result[offset + i];
        const Dimension& other = shorter[i];
        if (other == Dimension(1) || provably_equal(here, other)) continue;
        if (here == Dimension(1))
            here = other;
        else if (provably_different(here, other)) {
            return wrong(fmt::format(
                "The shapes {} and {} can't be broadcast: sizes {} and {} differ, and neither is 1.",
                to_string(a), to_string(b), to_string(here), to_string(other)));
        } else if (other.is_number())
            here = other;  // and the symbol is that or 1
        else if (!here.is_number())
            here = Dimension::unknown();
    }
    return result;
}

Result<Dimension> common(const Dimension& a, const Dimension& b) {
    if (provably_different(a, b)) {
        return wrong(
            fmt::format("The sizes {} and {} differ, and must be equal.", to_string(a), to_string(b)));
    }
    return a.is_number() || b.is_unknown() ? a : b;
}

}  // namespace muster::graph
