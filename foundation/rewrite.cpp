#include <vector>

#include <muster/foundation/rewrite.hpp>

namespace muster {
namespace {

class Rewriter {
  public:
    Rewriter(const Program& from, const RewriteHook& hook)
        : from_(from),
          hook_(hook),
          to_(std::string(from.entry()), from.workgroup_size()),
          node_(from.node_count()) {}

    Result<Program> run() && {
        for (const SourceFile& file : from_.files()) to_.file(file);
        for (Variable variable : from_.variables()) {
            variable.type = type(variable.type);
            if (variable.initial) variable.initial = free_node(variable.initial);
            to_.variable(std::move(variable));
        }
        block(from_.body());
        return std::move(to_).finish();
    }

  private:
    TypeId type(TypeId id) { return to_.types().import(from_.types(), id); }

    // Free nodes are made where they are first met: their operands may be placed ones.
    NodeId get(NodeId id) {
        if (node_[id.index]) return node_[id.index];
        return node_[id.index] = free_node(id);
    }

    NodeId free_node(NodeId id) {
        const Node& node = from_.node(id);
        if (node.op == Op::constant) {
            if (node.payload == zero_constant) return to_.zero(type(node.type));
            return to_.constant(type(node.type), from_.constant_words(id));
        }
        if (node.op == Op::builtin) return to_.builtin(static_cast<Builtin>(node.payload));
        if (node.op == Op::ref_variable) return to_.ref(VariableId{node.payload});
        if (node.op == Op::ref_index)
            return to_.ref_index(get(from_.operand(id, 0)), get(from_.operand(id, 1)));
        return to_.ref_member(get(from_.operand(id, 0)), node.payload);
    }

    std::vector<NodeId> operands(NodeId id) {
        std::vector<NodeId> made;
        made.reserve(from_.operands(id).size());
        for (NodeId operand : from_.operands(id)) made.push_back(get(operand));
        return made;
    }

    void block(BlockId id) {
        for (NodeId node : from_.block(id)) {
            to_.at(from_.location(node));
            if (info(from_.node(node).op).group == OpGroup::control) {
                control(node);
            } else {
                placed(node);
            }
        }
    }

    void placed(NodeId id) {
        const std::vector<NodeId> made = operands(id);
        const std::optional<NodeId> replaced = hook_(to_, RewrittenNode{from_, id, made});
        node_[id.index] = replaced ? *replaced : copy(id, made);
        if (node_[id.index] && !from_.name(id).empty()) to_.name(node_[id.index], from_.name(id));
    }

    NodeId copy(NodeId id, const std::vector<NodeId>& with) {
        const Node& node = from_.node(id);
        switch (info(node.op).group) {
            case OpGroup::memory: return memory(node, with);
            case OpGroup::atomic: return atomic(node, with);
            case OpGroup::sync: return to_.barrier(node.op);
            case OpGroup::extension:
                return to_.extension(from_.extensions()[node.payload], type(node.type), with);
            case OpGroup::free:
            case OpGroup::exact:
            case OpGroup::math:
            case OpGroup::control: break;
        }
        return value(node, with);
    }

    NodeId memory(const Node& node, const std::vector<NodeId>& with) {
        if (node.op == Op::declare)
            return to_.declare(VariableId{node.payload}, with.empty() ? NodeId{} : with[0]);
        if (node.op == Op::load) return to_.load(with[0]);
        if (node.op == Op::store) return to_.store(with[0], with[1]);
        return to_.array_length(with[0]);
    }

    NodeId atomic(const Node& node, const std::vector<NodeId>& with) {
        if (node.op == Op::atomic_compare_exchange) return to_.atomic(node.op, with[0], with[2], with[1]);
        return to_.atomic(node.op, with[0], with.size() > 1 ? with[1] : NodeId{});
    }

    NodeId value(const Node& node, const std::vector<NodeId>& with) {
        const Type& result = from_.types()[node.type];
        if (node.op == Op::compose) return to_.compose(type(node.type), with);
        if (node.op == Op::extract) return to_.extract(with[0], node.payload);
        if (node.op == Op::extract_dynamic) return to_.extract_dynamic(with[0], with[1]);
        if (node.op == Op::splat) return to_.splat(with[0], result.width);
        if (node.op == Op::convert) return to_.convert(result.scalar, with[0]);
        if (node.op == Op::bitcast) return to_.bitcast(result.scalar, with[0]);
        if (node.op == Op::swizzle) {
            std::vector<std::uint8_t> components;
            for (std::uint32_t i = 0; i < result.width; ++i)
                components.push_back(static_cast<std::uint8_t>((node.payload >> (2 * i)) & 3u));
            return to_.swizzle(with[0], components);
        }
        if (node.op == Op::select) return to_.select(with[0], with[1], with[2]);
        if (with.size() == 3) return to_.fma(with[0], with[1], with[2]);
        return with.size() == 2 ? to_.binary(node.op, with[0], with[1]) : to_.unary(node.op, with[0]);
    }

    void control(NodeId id) {
        const Op op = from_.node(id).op;
        const std::vector<NodeId> made = operands(id);
        const auto blocks = from_.blocks(id);
        if (op == Op::if_) {
            to_.begin_if(made[0]);
            block(blocks[0]);
            to_.begin_else();
            block(blocks[1]);
            to_.end_if();
        } else if (op == Op::loop) {
            to_.begin_loop();
            block(blocks[0]);
            to_.begin_continuing();
            block(blocks[1]);
            to_.end_loop();
        } else if (op == Op::switch_) {
            to_.begin_switch(made[0]);
            for (const SwitchCase& part : from_.switch_cases(id)) {
                to_.begin_case(part.selectors, part.is_default);
                block(part.block);
            }
            to_.end_switch();
        } else if (op == Op::scope) {
            to_.begin_scope();
            block(blocks[0]);
            to_.end_scope();
        } else {
            jump(op, made);
        }
    }

    void jump(Op op, const std::vector<NodeId>& made) {
        if (op == Op::break_if) to_.break_if(made[0]);
        if (op == Op::break_) to_.break_();
        if (op == Op::continue_) to_.continue_();
        if (op == Op::return_) to_.return_();
    }

    const Program& from_;
    const RewriteHook& hook_;
    IrBuilder to_;
    std::vector<NodeId> node_;  // old to new
};

}  // namespace

Result<Program> rewrite(const Program& program, const RewriteHook& hook) {
    return Rewriter(program, hook).run();
}

}  // namespace muster
