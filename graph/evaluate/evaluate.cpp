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
    constexpr Result<void> (*functions[])(Evaluation&){
#define MUSTER_OPERATOR(op, name, infer, evaluate, ...) evaluate_##evaluate,
#include <muster/graph/ir/operators.def>
    };
    return functions[static_cast<std::size_t>(node.op())](node);
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
