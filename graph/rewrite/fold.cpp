#include <algorithm>
#include <array>

#include <muster/graph/evaluate/evaluate.hpp>
#include <muster/graph/rewrite/fold.hpp>

namespace muster::graph {
namespace {

bool is_small(const Shape& shape) {
    const auto count = element_count(shape).known();
    return count && *count <= most_folded_elements;
}

template <class T>
std::vector<std::byte> bytes_of_numbers(const std::vector<Dimension>& contents) {
    std::vector<std::byte> bytes(contents.size() * sizeof(T));
    for (std::size_t i = 0; i < contents.size(); ++i) {
        const T number = static_cast<T>(contents[i].number());
        std::memcpy(bytes.data() + i * sizeof(T), &number, sizeof(T));
    }
    return bytes;
}

/// The tensor that inference knows element by element, or none.
std::optional<Tensor> known_tensor(const ValueFact& fact) {
    const auto sizes = known_sizes(fact.type.shape);
    if (!fact.contents || !sizes) return std::nullopt;
    if (!std::ranges::all_of(*fact.contents, [](const Dimension& item) { return item.is_number(); }))
        return std::nullopt;
    std::vector<std::byte> bytes;
    switch (fact.type.element) {
        case ElementType::i64: bytes = bytes_of_numbers<std::int64_t>(*fact.contents); break;
        case ElementType::i32: bytes = bytes_of_numbers<std::int32_t>(*fact.contents); break;
        case ElementType::i8:
        case ElementType::u8:
        case ElementType::boolean: bytes = bytes_of_numbers<std::uint8_t>(*fact.contents); break;
        case ElementType::f32:
        case ElementType::f16: return std::nullopt;
    }
    return Tensor::own(fact.type.element, *sizes, std::move(bytes));
}

bool fold_contents(Draft& draft, NodeId id) {
    if (draft.node(id).outputs.size() != 1) return false;
    const ValueId output = draft.node(id).outputs[0];
    auto tensor = known_tensor(draft.fact(output));
    if (!tensor) return false;
    draft.make_constant(output, *std::move(tensor));
    return true;
}

/// True if a product may come to read the value as one of its two factors: it does, or operators behind which
/// a conversion may find it lie between. Chains of these are followed a few steps.
bool is_factor(const Draft& draft, ValueId value, int steps = 4) {
    using enum Operator;
    constexpr std::array products{conv, matmul, gemm};
    constexpr std::array moves{identity, transpose, reshape, flatten, squeeze, unsqueeze};
    return std::ranges::any_of(draft.users_of(value), [&](NodeId user) {
        const Draft::Node& node = draft.node(user);
        if (std::ranges::find(products, node.op) != products.end())
            return node.inputs[0] == value || node.inputs[1] == value;
        return std::ranges::find(moves, node.op) != moves.end() &&
               (steps == 0 || is_factor(draft, node.outputs[0], steps - 1));
    });
}

}  // namespace

bool fold(Draft& draft, NodeId id) {
    const Draft::Node& node = draft.node(id);
    if (node.op == Operator::dequantize_linear && is_factor(draft, node.outputs[0])) return false;
    std::vector<Operand> operands;
    for (const ValueId input : node.inputs) {
        if (input && !draft.constant(input)) return fold_contents(draft, id);
        operands.push_back(input ? Operand{&draft.fact(input), draft.value(input).name} : Operand{});
    }
    const auto fits = [&](ValueId output) { return !output || is_small(draft.shape(output)); };
    if (!std::ranges::all_of(node.outputs, fits)) return false;
    auto results = evaluate_node(node.op, draft.attributes(id), operands, node.outputs.size());
    if (!results) return false;
    const std::vector<ValueId> outputs = node.outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i]) draft.make_constant(outputs[i], std::move((*results)[i]));
    }
    return true;
}

std::size_t remove_dead_code(Draft& draft) {
    std::size_t count = 0;
    for (NodeId at = draft.last(); at;) {
        const NodeId previous = draft.previous(at);
        count += draft.remove_unused(at);
        at = previous;
    }
    return count;
}

}  // namespace muster::graph
