#include <algorithm>
#include <vector>

#include <muster/foundation/analysis/local_value.hpp>
#include <muster/foundation/analysis/overwritten.hpp>
#include <muster/foundation/analysis/ways.hpp>
#include <muster/foundation/ir/access.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster {
namespace {

class Scan {
  public:
    Scan(const Program& program, VariableId variable, WorkgroupOrder order)
        : program_(program), variable_(variable), order_(order) {}

    enum class State : std::uint8_t { unwritten, stored };  // stored: perhaps not yet visible to others

    /// Returns false if something may be read, or written in part, before everything is written. All
    /// invocations meet at a barrier of the block, or none gets there; so a store before it, with no way to
    /// leave in between, is executed by all of them. So is a store before which no invocation can have left.
    bool passes(BlockId block, State state, bool in_loop) {
        const auto nodes = program_.block(block);
        for (std::size_t at = 0; at < nodes.size(); ++at) {
            const NodeId node = nodes[at];
            const Op op = program_.node(node).op;
            if (op == Op::workgroup_barrier && state == State::stored) return true;
            if (contains_barrier(node)) {
                if (order_ == WorkgroupOrder::in_regions && state == State::stored) return true;
                for (const BlockId inner : program_.blocks(node))
                    if (!passes(inner, state, in_loop || op == Op::loop)) return false;
                continue;
            }
            if (touches(node)) {
                const bool by_all = everyone_is_here_ || meets_barrier(nodes.subspan(at + 1));
                if (state == State::unwritten && by_all && writes_every_element(node)) {
                    state = State::stored;
                } else if (state == State::unwritten || reads(node)) {
                    return false;
                }
            }
            const Ways ways = ways_of(program_, node);
            everyone_is_here_ = everyone_is_here_ && !(in_loop ? ways.jumps() : ways.returns);
        }
        return true;
    }

  private:
    bool is_access(NodeId node) const { return accessed(program_, node) == variable_; }
    bool touches(NodeId node) const {
        return any_within(program_, node, [&](NodeId inner) { return is_access(inner); });
    }
    bool reads(NodeId node) const {
        return any_within(program_, node, [&](NodeId inner) {
            return is_access(inner) && program_.node(inner).op != Op::store;
        });
    }
    bool contains_barrier(NodeId node) const {
        return any_within(program_, node,
                          [&](NodeId inner) { return info(program_.node(inner).op).group == OpGroup::sync; });
    }
    bool meets_barrier(std::span<const NodeId> after) const {
        for (const NodeId node : after) {
            if (program_.node(node).op == Op::workgroup_barrier) return true;
            if (ways_of(program_, node).jumps()) return false;
        }
        return false;
    }

    // True if the node stores a whole element and the invocations' indices together cover all elements.
    bool writes_every_element(NodeId node) {
        if (program_.node(node).op != Op::store) return false;
        std::vector<NodeId> indices;  // innermost first
        NodeId place = program_.operand(node, 0);
        const Type* of = &program_.types()[program_.type(place)];
        if (of->kind == TypeKind::array) return false;
        for (; program_.node(place).op == Op::ref_index; place = program_.operand(place, 0))
            indices.push_back(program_.operand(place, 1));
        if (program_.node(place).op != Op::ref_variable) return false;
        std::vector<std::uint64_t> counts;
        for (of = &program_.types()[program_.variable(variable_).type]; of->kind == TypeKind::array;
             of = &program_.types()[of->element])
            counts.push_back(of->count);
        return counts.size() == indices.size() && reach_all(indices, counts);
    }

    // `counts`: outermost first.
    bool reach_all(std::span<const NodeId> indices, std::span<const std::uint64_t> counts) {
        std::uint64_t elements = 1;
        for (const std::uint64_t count : counts) elements *= count;
        const std::uint64_t invocations = program_.workgroup_size().count();
        if (elements > invocations) return false;
        std::vector<bool> seen(elements, false);
        for (std::uint32_t i = 0; i < invocations; ++i) {
            std::uint64_t element = 0;
            bool inside = true;
            for (std::size_t k = 0; k < counts.size(); ++k) {
                const auto index = local_value(program_, indices[indices.size() - 1 - k], i);
                if (!index) return false;
                inside = inside && *index < counts[k];
                element = element * counts[k] + *index;
            }
            if (inside) seen[element] = true;
        }
        return std::ranges::all_of(seen, [](bool one) { return one; });
    }

    const Program& program_;
    VariableId variable_;
    WorkgroupOrder order_;
    bool everyone_is_here_ = true;
};

}  // namespace

bool is_overwritten_first(const Program& program, VariableId variable, WorkgroupOrder order) {
    return Scan(program, variable, order).passes(program.body(), Scan::State::unwritten, false);
}

}  // namespace muster
