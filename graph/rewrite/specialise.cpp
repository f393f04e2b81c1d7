#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/rewrite/draft.hpp>
#include <muster/graph/rewrite/fold.hpp>
#include <muster/graph/rewrite/specialise.hpp>

namespace muster::graph {
namespace {

using Symbols = std::map<std::string, std::int64_t, std::less<>>;

std::unexpected<Error> refused(std::string message, std::string fix = {}) {
    return fail(ErrorCode::invalid_argument, std::move(message), std::move(fix));
}

std::string described(const Value& input) {
    return fmt::format("Input \"{}\" is {}", printable(input.name), to_string(input.type));
}

/// The sizes given for an input; symbols that stand alone in its shape become known by them.
Result<void> take_sizes(const Value& input, std::span<const std::int64_t> sizes, Symbols& symbols) {
    const Shape& shape = input.type.shape;
    const auto wrong = [&](std::string_view why) {
        return refused(
            fmt::format("{}, and sizes [{}] are given{}.", described(input), fmt::join(sizes, ", "), why));
    };
    if (sizes.size() != shape.size()) return wrong("");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 0) return wrong(": one is negative");
        if (provably_different(shape[i], sizes[i])) return wrong("");
        if (shape[i].symbols().size() != 1 || shape[i].factor() != 1) continue;
        const auto [known, first] = symbols.emplace(shape[i].symbols()[0], sizes[i]);
        if (!first && known->second != sizes[i])
            return wrong(fmt::format(": {} is {} already", printable(known->first), known->second));
    }
    return {};
}

Result<Dimension> sized(const Value& input, const Dimension& dimension, const Symbols& symbols) {
    Dimension product(dimension.factor());
    for (const std::string& symbol : dimension.symbols()) {
        const auto found = symbols.find(symbol);
        if (found == symbols.end()) {
            return refused(fmt::format("{}, and {} isn't given.", described(input), printable(symbol)),
                           fmt::format("give the size {}, or all sizes of the input", printable(symbol)));
        }
        product = product * Dimension(found->second);
    }
    if (!dimension.is_unknown()) return product;
    return refused(described(input) + ", and a size without a name isn't given.",
                   "give all sizes of the input");
}

Result<Shape> sized(const Value& input, const Sizing& sizing, const Symbols& symbols) {
    const auto given = sizing.sizes.find(input.name);
    Shape shape;
    for (std::size_t i = 0; i < input.type.shape.size(); ++i) {
        const Dimension& wanted = input.type.shape[i];
        if (given == sizing.sizes.end()) {
            shape.push_back(TRY(sized(input, wanted, symbols)));
            continue;
        }
        shape.push_back(given->second[i]);
        if (wanted.is_unknown() || TRY(sized(input, wanted, symbols)) == shape[i]) continue;
        return refused(fmt::format("{}, and sizes [{}] are given: size {} can't be {}.", described(input),
                                   fmt::join(given->second, ", "), to_string(shape[i]), to_string(wanted)));
    }
    return shape;
}

Result<const Value*> input_called(const Graph& graph, std::string_view name) {
    const auto id = graph.find(name);
    if (id && std::ranges::find(graph.inputs(), *id) != graph.inputs().end()) return &graph.value(*id);
    return refused(
        fmt::format("Graph \"{}\" has no input \"{}\".", printable(graph.name()), printable(name)));
}

Result<Symbols> all_symbols(const Graph& graph, const Sizing& sizing) {
    Symbols symbols = sizing.symbols;
    for (const auto& [symbol, size] : symbols) {
        if (size < 0)
            return refused(fmt::format("The size {} is {}: it is negative.", printable(symbol), size));
    }
    for (const auto& [name, sizes] : sizing.sizes)
        TRY(take_sizes(*TRY(input_called(graph, name)), sizes, symbols));
    for (const auto& [name, tensor] : sizing.contents)
        TRY(take_sizes(*TRY(input_called(graph, name)), tensor.sizes(), symbols));
    return symbols;
}

Result<void> set_inputs(Draft& draft, const Graph& graph, const Sizing& sizing) {
    const Symbols symbols = TRY(all_symbols(graph, sizing));
    for (const ValueId id : graph.inputs()) {
        const Value& input = graph.value(id);
        const auto held = sizing.contents.find(input.name);
        if (held == sizing.contents.end()) {
            draft.set_fact(id, {.type = {input.type.element, TRY(sized(input, sizing, symbols))}});
            continue;
        }
        if (held->second.element() != input.type.element) {
            return refused(fmt::format("{}, and contents of {} are given.", described(input),
                                       to_string(held->second.type())));
        }
        draft.set_fact(id, {.type = held->second.type()});
        draft.replace_uses(id, draft.add_constant(held->second, id));
    }
    return {};
}

Result<void> expect_known_shapes(const Draft& draft, NodeId id) {
    for (const ValueId output : draft.node(id).outputs) {
        if (!output || known_sizes(draft.shape(output))) continue;
        return fail(ErrorCode::unsupported,
                    fmt::format("Node {} makes {}: a size depends on the data of other tensors.",
                                draft.label(id), to_string(draft.fact(output).type)),
                    "give the contents of the inputs that it depends on");
    }
    return {};
}

}  // namespace

Result<Graph> specialise(const Graph& graph, const Sizing& sizing) {
    Draft draft(graph);
    remove_dead_code(draft);
    TRY(set_inputs(draft, graph, sizing));
    for (NodeId at = draft.first(); at;) {
        const NodeId next = draft.next(at);
        TRY(draft.update(at));
        if (!fold(draft, at)) TRY(expect_known_shapes(draft, at));
        at = next;
    }
    remove_dead_code(draft);
    return std::move(draft).finish();
}

}  // namespace muster::graph
