#include <muster/foundation/analysis/local_value.hpp>
#include <muster/foundation/ir/place.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster {
namespace {

constexpr int most_operations = 64;

class LocalValue {
  public:
    explicit LocalValue(const Program& program) : program_(program) {}

    std::optional<std::uint32_t> evaluate(NodeId value, std::uint32_t invocation) {
        const Node& node = program_.node(value);
        if (node.type != u32_type || --budget_ < 0) return {};
        if (const auto known = constant_word(program_, value)) return known;
        if (node.op == Op::builtin) {
            if (static_cast<Builtin>(node.payload) != Builtin::local_invocation_index) return {};
            return invocation;
        }
        const auto operands = program_.operands(value);
        if (node.op == Op::extract) return local_id(operands[0], node.payload, invocation);
        if (operands.size() != 2) return {};
        const auto a = evaluate(operands[0], invocation), b = evaluate(operands[1], invocation);
        if (!a || !b) return {};
        return combine(node.op, *a, *b);
    }

  private:
    std::optional<std::uint32_t> local_id(NodeId whole, std::uint32_t axis, std::uint32_t invocation) const {
        const Node& node = program_.node(whole);
        if (node.op != Op::builtin || static_cast<Builtin>(node.payload) != Builtin::local_invocation_id)
            return {};
        const Extent3 size = program_.workgroup_size();
        if (axis == 0) return invocation % size.x;
        return axis == 1 ? invocation / size.x % size.y : invocation / size.x / size.y;
    }

    static std::optional<std::uint32_t> combine(Op op, std::uint32_t a, std::uint32_t b) {
        if (op == Op::add) return semantics::add(a, b);
        if (op == Op::sub) return semantics::sub(a, b);
        if (op == Op::mul) return semantics::mul(a, b);
        if (op == Op::div) return semantics::div(a, b);
        if (op == Op::rem) return semantics::rem(a, b);
        if (op == Op::shift_left) return semantics::shift_left(a, b);
        if (op == Op::bit_and) return a & b;
        if (op == Op::bit_or) return a | b;
        return {};
    }

    const Program& program_;
    int budget_ = most_operations;
};

}  // namespace

std::optional<std::uint32_t> local_value(const Program& program, NodeId value, std::uint32_t invocation) {
    return LocalValue(program).evaluate(value, invocation);
}

}  // namespace muster
