#include <map>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/evaluate/evaluate.hpp>
#include <muster/graph/evaluate/evaluation.hpp>
#include <muster/graph/infer/infer.hpp>

namespace muster::graph {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 31;  // of a value, here

Result<void> evaluate_operator(Evaluation& node) {
    using enum Operator;
    // clang-format off
    switch (node.op()) {
        case abs: case neg: case floor: case ceil: case sqrt: case exp: case log: case sin: case cos: case tanh:
        case erf: case reciprocal: case sigmoid: case hard_sigmoid: case hard_swish: case relu: case leaky_relu:
        case elu: case softplus: case gelu: case logical_not: case identity: case dropout: case cast: case clip:
            return evaluate_unary(node);
        case add: case sub: case mul: case div: case pow: case prelu: case logical_and: case logical_or: case equal:
        case greater: case greater_or_equal: case less: case less_or_equal: case where: case min: case max: case sum:
            return evaluate_binary(node);
        case matmul: case gemm: return evaluate_product(node);
        case einsum: return evaluate_einsum(node);
        case attention: return evaluate_attention(node);
        case gru: case lstm: return evaluate_recurrent(node);
        case conv: return evaluate_conv(node);
        case conv_transpose: return evaluate_conv_transpose(node);
        case max_pool: case average_pool: case global_average_pool: case global_max_pool: return evaluate_pool(node);
        case batch_normalization: case layer_normalization: case instance_normalization: case lrn: case softmax:
            return evaluate_normalization(node);
        case reduce_mean: case reduce_sum: case reduce_max: case reduce_min: case reduce_l2: return evaluate_reduction(node);
        case arg_max: case top_k: case cum_sum: return evaluate_search(node);
        case concat: case split: case slice: case expand: case tile: case pad: return evaluate_move(node);
        case gather: case gather_elements: case gather_nd: case scatter_nd: case one_hot: return evaluate_gather(node);
        case transpose: case reshape: case flatten: case squeeze: case unsqueeze: case trilu: case depth_to_space:
            return evaluate_layout(node);
        case resize: return evaluate_resize(node);
        case shape: case constant_of_shape: case range: return evaluate_shape_data(node);
        case quantize_linear: case dequantize_linear: case dynamic_quantize_linear: return evaluate_quantized(node);
        case matmul_integer: case qlinear_matmul: case qlinear_conv: return evaluate_quantized_product(node);
    }
    // clang-format on
    return {};
}

/// The sizes that symbols have in this evaluation.
using Symbols = std::map<std::string, std::int64_t, std::less<>>;

Result<void> check_input(const Value& value, const Tensor& tensor, Symbols& symbols) {
    const auto refused = [&](std::string_view why) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Input \"{}\" is {}, and {} is given{}.", printable(value.name),
                                to_string(value.type), to_string(tensor.type()), why));
    };
    if (tensor.element() != value.type.element || tensor.sizes().size() != value.type.shape.size())
        return refused("");
    for (std::size_t i = 0; i < tensor.sizes().size(); ++i) {
        const Dimension& wanted = value.type.shape[i];
        const std::int64_t given = tensor.sizes()[i];
        if (provably_different(wanted, given)) return refused("");
        if (wanted.symbols().size() != 1 || wanted.factor() != 1) continue;
        const auto [known, first] = symbols.emplace(wanted.symbols()[0], given);
        if (!first && known->second != given) {
            return refused(
                fmt::format(": {} is {} in an input before it", printable(known->first), known->second));
        }
    }
    return {};
}

class Run {
  public:
    explicit Run(const Graph& graph) : graph_(graph), values_(graph.value_count()) {
        for (std::uint32_t i = 0; i < graph.value_count(); ++i) values_[i] = graph.value({i}).constant;
    }
    Result<void> set_inputs(std::span<const Tensor> inputs);
    Result<void> node(NodeId id);
    const Tensor& value(ValueId id) const { return *values_[id.index]; }

  private:
    const Graph& graph_;
    std::vector<std::shared_ptr<const Tensor>> values_;
};

Result<void> Run::set_inputs(std::span<const Tensor> inputs) {
    if (inputs.size() != graph_.inputs().size()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Graph \"{}\" has {} inputs, and {} tensors are given.",
                                printable(graph_.name()), graph_.inputs().size(), inputs.size()));
    }
    Symbols symbols;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const ValueId id = graph_.inputs()[i];
        TRY(check_input(graph_.value(id), inputs[i], symbols));
        values_[id.index] = std::make_shared<const Tensor>(inputs[i]);
    }
    return {};
}

Result<void> Run::node(NodeId id) {
    const std::span<const ValueId> inputs = graph_.inputs(id);
    std::vector<ValueFact> facts(inputs.size());
    std::vector<Operand> operands(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i]) continue;
        facts[i] = ValueFact::of(values_[inputs[i].index]);
        operands[i] = {&facts[i], graph_.value(inputs[i]).name};
    }
    std::vector<Tensor> results =
        TRY(evaluate_node(graph_.node(id).op, graph_.attributes(id), operands, graph_.outputs(id).size()));
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (const ValueId output = graph_.outputs(id)[i]) {
            values_[output.index] = std::make_shared<const Tensor>(std::move(results[i]));
        }
    }
    return {};
}

/// Inference again, with every input a constant: all sizes are numbers then.
Result<std::vector<TensorType>> output_types(Operator op, const Attributes& attributes,
                                             std::span<const Operand> operands, std::size_t output_count) {
    std::vector<TensorType> types;
    for (ValueFact& fact : TRY(infer(op, attributes, operands, output_count))) {
        const Dimension count = element_count(fact.type.shape);
        if (!known_sizes(fact.type.shape) || !count.is_number() || count.number() > most_elements) {
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("An output is {}: the evaluator computes up to {} elements, whose sizes "
                                    "depend on tensors of up "
                                    "to {}.",
                                    to_string(fact.type), most_elements, max_contents));
        }
        types.push_back(std::move(fact.type));
    }
    return types;
}

}  // namespace

Result<std::vector<Tensor>> evaluate(const Graph& graph, std::span<const Tensor> inputs) {
    Run run(graph);
    TRY(run.set_inputs(inputs));
    for (const NodeId id : graph.nodes()) {
        TRY(during([&] { return fmt::format("evaluating node {}", graph.label(id)); }, run.node(id)));
    }
    std::vector<Tensor> outputs;
    for (const ValueId id : graph.outputs()) outputs.push_back(run.value(id));
    return outputs;
}

Result<std::vector<Tensor>> evaluate_node(Operator op, const Attributes& attributes,
                                          std::span<const Operand> operands, std::size_t output_count) {
    std::vector<const Tensor*> inputs;
    for (const Operand& operand : operands)
        inputs.push_back(operand.fact ? operand.fact->constant.get() : nullptr);
    Evaluation evaluation(op, attributes, inputs, TRY(output_types(op, attributes, operands, output_count)));
    TRY(evaluate_operator(evaluation));
    return std::move(evaluation).take();
}

}  // namespace muster::graph
