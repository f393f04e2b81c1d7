#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

std::string range(std::size_t fewest, std::size_t most) {
    if (most == SIZE_MAX) return fmt::format("at least {}", fewest);
    return fewest == most ? fmt::to_string(fewest) : fmt::format("{} to {}", fewest, most);
}

Result<void> check_counts(const OperatorInfo& schema, std::size_t inputs, std::size_t outputs) {
    if (inputs < schema.fewest_inputs() || inputs > schema.most_inputs()) {
        return wrong(fmt::format("It has {} inputs, and takes {}.", inputs,
                                 range(schema.fewest_inputs(), schema.most_inputs())));
    }
    const std::size_t fewest = std::max<std::size_t>(schema.fewest_outputs(), 1);
    if (outputs < fewest || outputs > schema.most_outputs()) {
        return wrong(
            fmt::format("It has {} outputs, and gives {}.", outputs, range(fewest, schema.most_outputs())));
    }
    return {};
}

class TypeVariables {
  public:
    std::optional<ElementType>& of(char variable) {
        return types_.at(static_cast<std::size_t>(variable - 'A'));
    }

  private:
    std::array<std::optional<ElementType>, 26> types_;
};

Result<void> check_input(const Inference& node, std::size_t at, TypeVariables& variables) {
    const Port& port = info(node.op()).input(at);
    if (!node.has(at)) {
        if (port.optional) return {};
        return wrong(fmt::format("Input {} ({}) is missing.", at, port.name));
    }
    const ElementType element = node.element(at);
    if (!port.allowed.contains(element)) {
        return wrong(
            fmt::format("{}, and takes elements of {}.", node.describe(at), to_string(port.allowed)));
    }
    if (!port.variable) return {};
    std::optional<ElementType>& bound = variables.of(port.variable);
    if (!bound) bound = element;
    if (*bound == element) return {};
    return wrong(fmt::format("{}, and must have elements of {} as an input before it has.", node.describe(at),
                             name(*bound)));
}

Result<void> check_types(Inference& node) {
    TypeVariables variables;
    for (std::size_t i = 0; i < node.input_count(); ++i) TRY(check_input(node, i, variables));
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        const Port& port = info(node.op()).output(i);
        if (port.variable) {
            // One that no input has is set by the operator's own rule.
            node.set_element(i, variables.of(port.variable).value_or(ElementType::f32));
            continue;
        }
        for (const ElementTypeInfo& row : element_types) {
            if (port.allowed.contains(row.type)) node.set_element(i, row.type);
        }
    }
    return {};
}

Result<void> infer_shapes(Inference& node) {
    constexpr Result<void> (*functions[])(Inference&){
#define MUSTER_OPERATOR(op, name, infer, ...) infer_##infer,
#include <muster/graph/ir/operators.def>
    };
    return functions[static_cast<std::size_t>(node.op())](node);
}

Result<void> check_size(const TensorType& type) {
    TRY(check_rank(type.shape.size()));
    std::vector<std::int64_t> sizes;
    for (const Dimension& dimension : type.shape) {
        if (const auto number = dimension.known()) sizes.push_back(*number);
    }
    (void)TRY(checked_element_count(sizes));
    return {};
}

}  // namespace

Result<void> check_rank(std::size_t rank) {
    if (rank <= max_rank) return {};
    return fail(ErrorCode::limit_exceeded,
                fmt::format("A tensor would have {} axes, and tensors have at most {}.", rank, max_rank));
}

ValueFact ValueFact::of(std::shared_ptr<const Tensor> tensor) {
    ValueFact fact{.type = tensor->type(), .constant = std::move(tensor)};
    if (is_float(fact.type.element) || fact.constant->count() > max_contents) return fact;
    const std::vector<std::int64_t> values = integers(*fact.constant);
    fact.contents = std::make_shared<const std::vector<Dimension>>(values.begin(), values.end());
    return fact;
}

Result<std::vector<ValueFact>> infer(Operator op, const Attributes& attributes,
                                     std::span<const Operand> operands, std::size_t output_count) {
    TRY(check_counts(info(op), operands.size(), output_count));
    Inference node(op, attributes, operands, output_count);
    TRY(check_types(node));
    TRY(infer_shapes(node));
    for (std::size_t i = 0; i < output_count; ++i) TRY(check_size(node.output(i).type));
    infer_contents(node);
    return std::move(node).take();
}

}  // namespace muster::graph
