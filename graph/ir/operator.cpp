#include <muster/graph/ir/operator.hpp>
#include <muster/graph/ir/operator_row.hpp>

namespace muster::graph {
namespace {

constexpr std::string_view window =
    "auto_pad:string=NOTSET dilations:ints group:int=1 kernel_shape:ints pads:ints strides:ints";
constexpr std::string_view one = "X:T -> Y:T", two = "A:T B:T -> C:T", several = "data*:T -> result:T";
constexpr std::string_view comparison = "A:T B:T -> C:bool";
constexpr std::string_view reduction = "data:T axes!?:i64 -> reduced:T",
                           how_to_reduce = "keepdims:int=1 noop_with_empty_axes:int=0";

constexpr std::array<OperatorInfo, operator_count> table{{
#define MUSTER_OPERATOR(op, name, infer, evaluate, lower, ...) row(Operator::op, name, __VA_ARGS__),
#include <muster/graph/ir/operators.def>
}};

std::size_t fewest(std::span<const Port> ports) {
    std::size_t count = ports.size();
    while (count > 0 && ports[count - 1].optional) --count;
    return count;
}
std::size_t most(std::span<const Port> ports) { return ports.back().variadic ? SIZE_MAX : ports.size(); }

}  // namespace

const AttributeInfo* OperatorInfo::attribute(std::string_view attribute_name) const {
    for (const AttributeInfo& row : attributes.all()) {
        if (row.name == attribute_name) return &row;
    }
    return nullptr;
}

std::size_t OperatorInfo::fewest_inputs() const { return fewest(inputs.all()); }
std::size_t OperatorInfo::most_inputs() const { return most(inputs.all()); }
std::size_t OperatorInfo::fewest_outputs() const { return fewest(outputs.all()); }
std::size_t OperatorInfo::most_outputs() const { return most(outputs.all()); }

std::span<const OperatorInfo> operators() { return table; }

std::optional<Operator> operator_by_name(std::string_view name) {
    for (const OperatorInfo& row : table) {
        if (row.name == name) return row.op;
    }
    return std::nullopt;
}

}  // namespace muster::graph
