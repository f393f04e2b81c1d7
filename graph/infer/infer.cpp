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
    using enum Operator;
    // clang-format off
    switch (node.op()) {
        case abs: case neg: case floor: case ceil: case sqrt: case exp: case log: case sin: case cos: case tanh:
        case erf: case reciprocal: case sigmoid: case hard_sigmoid: case hard_swish: case relu: case leaky_relu:
        case elu: case softplus: case gelu: case logical_not: case identity: case dropout: case cast: case clip:
        case add: case sub: case mul: case div: case pow: case prelu: case logical_and: case logical_or: case equal:
        case greater: case greater_or_equal: case less: case less_or_equal: case where: case min: case max: case sum:
            return infer_elementwise(node);
        case matmul: case gemm: case matmul_integer: case qlinear_matmul: return infer_product(node);
        case einsum: return infer_einsum(node);
        case attention: return infer_attention(node);
        case gru: case lstm: return infer_recurrent(node);
        case conv: case conv_transpose: case qlinear_conv: return infer_conv(node);
        case max_pool: case average_pool: case global_average_pool: case global_max_pool: return infer_pool(node);
        case batch_normalization: case layer_normalization: case instance_normalization: case lrn: case softmax:
            return infer_normalization(node);
        case reduce_mean: case reduce_sum: case reduce_max: case reduce_min: case reduce_l2: return infer_reduction(node);
        case arg_max: case top_k: case cum_sum: return infer_search(node);
        case concat: case split: return infer_joining(node);
        case slice: return infer_slice(node);
        case gather: case gather_elements: case gather_nd: case scatter_nd: case one_hot: return infer_gather(node);
        case transpose: case reshape: case flatten: case squeeze: case unsqueeze: case trilu: case depth_to_space:
            return infer_layout(node);
        case expand: case tile: case pad: return infer_growth(node);
        case resize: return infer_resize(node);
        case shape: case constant_of_shape: case range: return infer_shape_data(node);
        case quantize_linear: case dequantize_linear: case dynamic_quantize_linear: return infer_quantized(node);
    }
    // clang-format on
    return {};
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
