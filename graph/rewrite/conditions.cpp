#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/window.hpp>
#include <muster/graph/rewrite/conditions.hpp>

namespace muster::graph {
namespace {

using Refusal = std::optional<std::string>;
using Test = Refusal (*)(const Condition&, const Captured&);

std::string shown(const Captured& captured, std::string_view name) {
    return fmt::format("{} (\"{}\")", name, printable(captured.draft.value(captured.value(name)).name));
}

/// Refuses the first of the names that is there and for which `holds` is false.
template <class Holds>
Refusal each(const Condition& condition, const Captured& captured, std::string_view why, Holds&& holds) {
    for (const std::string& name : condition.names) {
        const ValueId id = captured.value(name);
        if (id && !holds(id)) return fmt::format("{} {}", shown(captured, name), why);
    }
    return std::nullopt;
}

Refusal constant(const Condition& condition, const Captured& captured) {
    return each(condition, captured, "isn't a constant",
                [&](ValueId id) { return captured.draft.constant(id) != nullptr; });
}

Refusal one_element(const Condition& condition, const Captured& captured) {
    return each(condition, captured, "isn't a constant of one element", [&](ValueId id) {
        return captured.draft.constant(id) && captured.draft.constant(id)->count() == 1;
    });
}

Refusal equal(const Condition& condition, const Captured& captured) {
    const std::int64_t number = condition.numbers[0];
    return each(condition, captured, fmt::format("isn't a constant all of whose elements are {}", number),
                [&](ValueId id) {
                    const Tensor* tensor = captured.draft.constant(id);
                    if (!tensor) return false;
                    const auto is_it = [&](auto value) {
                        return value == static_cast<decltype(value)>(number);
                    };
                    return is_float(tensor->element()) ? std::ranges::all_of(floats(*tensor), is_it)
                                                       : std::ranges::all_of(integers(*tensor), is_it);
                });
}

Refusal absent(const Condition& condition, const Captured& captured) {
    return each(condition, captured, "is given", [](ValueId) { return false; });
}

Refusal rank(const Condition& condition, const Captured& captured) {
    return each(condition, captured,
                fmt::format("doesn't have rank {}", fmt::join(condition.numbers, " or ")), [&](ValueId id) {
                    const auto rank = static_cast<std::int64_t>(captured.draft.shape(id).size());
                    return std::ranges::find(condition.numbers, rank) != condition.numbers.end();
                });
}

Refusal known(const Condition& condition, const Captured& captured) {
    return each(condition, captured, "has sizes that aren't known",
                [&](ValueId id) { return known_sizes(captured.draft.shape(id)).has_value(); });
}

Refusal same_shape(const Condition& condition, const Captured& captured) {
    const Shape& first = captured.draft.shape(captured.value(condition.names[0]));
    return each(
        condition, captured,
        fmt::format("doesn't have the shape {} of {}", to_string(first), condition.names[0]),
        [&](ValueId id) { return std::ranges::equal(first, captured.draft.shape(id), provably_equal); });
}

Refusal same_type(const Condition& condition, const Captured& captured) {
    const ElementType first = captured.draft.element(captured.value(condition.names[0]));
    return each(condition, captured, fmt::format("isn't of {} like {}", name(first), condition.names[0]),
                [&](ValueId id) { return captured.draft.element(id) == first; });
}

Refusal type(const Condition& condition, const Captured& captured) {
    const ElementType element = captured.draft.element(captured.value(condition.names[0]));
    if (std::ranges::find(condition.names, name(element)) != condition.names.end()) return std::nullopt;
    return fmt::format("{} is of {}", shown(captured, condition.names[0]), name(element));
}

bool holds_all(ElementType from, ElementType to) {
    using enum ElementType;
    if (from == to) return true;
    if (to == f32) return from == f16 || from == i8 || from == u8 || from == boolean;
    if (to == f16) return from == i8 || from == u8 || from == boolean;
    if (to == i64) return !is_float(from);
    if (to == i32) return from == i8 || from == u8 || from == boolean;
    return from == boolean && to != boolean;
}

Refusal lossless(const Condition& condition, const Captured& captured) {
    const ElementType from = captured.draft.element(captured.value(condition.names[0])),
                      to = captured.draft.element(captured.value(condition.names[1]));
    if (holds_all(from, to)) return std::nullopt;
    return fmt::format("{} is of {}, some of whose values {} doesn't have",
                       shown(captured, condition.names[0]), name(from), name(to));
}

Refusal per_channel(const Condition& condition, const Captured& captured) {
    const Shape &k = captured.draft.shape(captured.value(condition.names[0])),
                &y = captured.draft.shape(captured.value(condition.names[1]));
    const auto axis = static_cast<std::size_t>(condition.numbers[0]);
    const auto lies_along = [&] {
        if (k.size() > y.size() || axis >= y.size()) return false;
        for (std::size_t i = 0; i < k.size(); ++i) {
            const std::size_t at = i + y.size() - k.size();
            if (k[i] != Dimension(1) && !(at == axis && provably_equal(k[i], y[at]))) return false;
        }
        return true;
    };
    if (lies_along()) return std::nullopt;
    return fmt::format("{} is of {}, and doesn't lie along axis {} of {}",
                       shown(captured, condition.names[0]), to_string(k), axis, to_string(y));
}

/// The constant axes as indices from 0, sorted; none if they aren't constant.
std::optional<std::vector<std::int64_t>> axes_of(const Captured& captured, ValueId axes, std::size_t rank) {
    const Tensor* tensor = captured.draft.constant(axes);
    if (!tensor) return std::nullopt;
    std::vector<std::int64_t> result = integers(*tensor);
    for (std::int64_t& axis : result) axis += axis < 0 ? static_cast<std::int64_t>(rank) : 0;
    std::ranges::sort(result);
    return result;
}

Refusal are_from(const Condition& condition, const Captured& captured, std::int64_t first) {
    const std::size_t rank = captured.draft.shape(captured.value(condition.names[1])).size();
    std::vector<std::int64_t> wanted;
    for (std::int64_t i = std::max<std::int64_t>(first, 0); i < static_cast<std::int64_t>(rank); ++i)
        wanted.push_back(i);
    if (first >= 0 && axes_of(captured, captured.value(condition.names[0]), rank) == wanted)
        return std::nullopt;
    return fmt::format("{} isn't the axes [{}]", shown(captured, condition.names[0]),
                       fmt::join(wanted, ", "));
}

Refusal trailing(const Condition& condition, const Captured& captured) {
    const auto rank =
        static_cast<std::int64_t>(captured.draft.shape(captured.value(condition.names[1])).size());
    return are_from(condition, captured, rank - condition.numbers[0]);
}

Refusal spatial(const Condition& condition, const Captured& captured) {
    return are_from(condition, captured, 2);
}

Refusal within(const Condition& condition, const Captured& captured) {
    const Shape &s = captured.draft.shape(captured.value(condition.names[0])),
                &x = captured.draft.shape(captured.value(condition.names[1]));
    const auto last = static_cast<std::size_t>(condition.numbers[0]);
    const auto fits = [&] {
        if (s.size() > x.size()) return false;
        for (std::size_t i = 0; i < s.size(); ++i) {
            const std::size_t at = i + x.size() - s.size();
            if (s[i] != Dimension(1) && !(at + last >= x.size() && provably_equal(s[i], x[at]))) return false;
        }
        return true;
    };
    if (fits()) return std::nullopt;
    return fmt::format("{} is of {}, and doesn't broadcast within the last {} axes of {}",
                       shown(captured, condition.names[0]), to_string(s), last, to_string(x));
}

Refusal at_least(const Condition& condition, const Captured& captured) {
    const Shape& shape = captured.draft.shape(captured.value(condition.names[0]));
    const auto axis = axis_index(condition.numbers[0], shape.size());
    const auto size = axis ? shape[*axis].known() : std::nullopt;
    if (size && *size >= condition.numbers[1]) return std::nullopt;
    return fmt::format("{} is of {}, and the pattern takes at least {} along axis {}",
                       shown(captured, condition.names[0]), to_string(shape), condition.numbers[1],
                       condition.numbers[0]);
}

Refusal window(const Condition& condition, const Captured& captured) {
    const Draft::Node& node =
        captured.draft.node(captured.draft.value(captured.value(condition.names[0])).producer);
    const Shape& x = captured.draft.shape(node.inputs[0]);
    if (const auto weights = known_sizes(captured.draft.shape(node.inputs[1]));
        weights && weights->size() > 2) {
        const auto axes = window_of({info(node.op), node.attributes}, std::span(x).subspan(2),
                                    std::span(*weights).subspan(2), false);
        const auto fits = [&](const WindowAxis& axis) {
            return axis.kernel == condition.numbers[0] && axis.stride == condition.numbers[1] &&
                   axis.dilation == 1;
        };
        if (axes && std::ranges::all_of(*axes, fits)) return std::nullopt;
    }
    return fmt::format("the window of {} isn't of {} along each axis, moved by {}",
                       shown(captured, condition.names[0]), condition.numbers[0], condition.numbers[1]);
}

Refusal not_dequantized(const Condition& condition, const Captured& captured) {
    return each(condition, captured, "is made by DequantizeLinear", [&](ValueId id) {
        const NodeId producer = captured.draft.value(id).producer;
        return !producer || captured.draft.node(producer).op != Operator::dequantize_linear;
    });
}

Refusal shared(const Condition&, const Captured&) { return std::nullopt; }

struct ConditionRow {
    std::string_view name;
    Test test;
    std::size_t fewest_names, most_names, fewest_numbers, most_numbers;
};
constexpr std::size_t any = 64;
constexpr std::array rows{
    ConditionRow{"constant", constant, 1, any, 0, 0},
    ConditionRow{"one_element", one_element, 1, any, 0, 0},
    ConditionRow{"equal", equal, 1, any, 1, 1},
    ConditionRow{"absent", absent, 1, any, 0, 0},
    ConditionRow{"rank", rank, 1, 1, 1, any},
    ConditionRow{"known", known, 1, any, 0, 0},
    ConditionRow{"same_shape", same_shape, 2, any, 0, 0},
    ConditionRow{"same_type", same_type, 2, any, 0, 0},
    ConditionRow{"type", type, 2, any, 0, 0},
    ConditionRow{"lossless", lossless, 2, 2, 0, 0},
    ConditionRow{"per_channel", per_channel, 2, 2, 1, 1},
    ConditionRow{"trailing", trailing, 2, 2, 1, 1},
    ConditionRow{"spatial", spatial, 2, 2, 0, 0},
    ConditionRow{"within", within, 2, 2, 1, 1},
    ConditionRow{"at_least", at_least, 1, 1, 2, 2},
    ConditionRow{"window", window, 1, 1, 2, 2},
    ConditionRow{"not_dequantized", not_dequantized, 1, any, 0, 0},
    ConditionRow{"shared", shared, 1, any, 0, 0},
};

const ConditionRow* row_of(std::string_view name) {
    const auto found = std::ranges::find(rows, name, &ConditionRow::name);
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace

Result<void> check_condition(const Condition& condition, const PatternTree& tree, std::string_view pattern) {
    const ConditionRow* row = row_of(condition.name);
    const auto wrong = [&](std::string_view what) {
        return fail(ErrorCode::invalid_program,
                    fmt::format("The pattern \"{}\" has a condition {}, {}.", printable(pattern),
                                printable(condition.name), what),
                    "graph/rewrite/conditions.hpp lists the conditions");
    };
    if (!row) return wrong("which there isn't");
    const auto is_captured = [&](const std::string& name) { return tree.find(name) != UINT32_MAX; };
    const auto captured =
        row->test == type ? std::span(condition.names).first(1) : std::span(condition.names);
    if (condition.names.size() < row->fewest_names || condition.names.size() > row->most_names ||
        condition.numbers.size() < row->fewest_numbers || condition.numbers.size() > row->most_numbers ||
        !std::ranges::all_of(captured, is_captured))
        return wrong("which takes other arguments");
    return {};
}

std::optional<std::string> refusal(const Condition& condition, const Captured& captured) {
    Condition present = condition;
    std::erase_if(present.names, [&](const std::string& name) {
        return captured.tree.find(name) != UINT32_MAX && !captured.value(name);
    });
    const ConditionRow* row = row_of(condition.name);
    if (present.names.size() < row->fewest_names) return std::nullopt;
    return row->test(present, captured);
}

}  // namespace muster::graph
