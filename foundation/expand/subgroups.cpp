#include <vector>

#include <muster/foundation/expand/subgroups.hpp>
#include <muster/foundation/semantics/subgroups.hpp>

namespace muster {
namespace {

/// The first or last active invocation of a run of invocations: `any` is true if there
/// is one, `lane` its number.
struct Found {
    NodeId any, lane;
};

class WithShuffles {
  public:
    WithShuffles(IrBuilder& ir, const RewrittenNode& node, std::uint32_t size)
        : ir_(ir),
          op_(node.op()),
          value_(node.operand(0)),
          second_(node.operands.size() > 1 ? node.operand(1) : NodeId{}),
          size_(size),
          is_full_(node.program.node(node.id).payload != may_diverge &&
                   node.program.workgroup_size().count() % size == 0),
          lane_(ir.builtin(Builtin::subgroup_invocation_id)) {}

    NodeId run() {
        if (op_ == Op::subgroup_shuffle) return shuffle(value_, second_);
        if (op_ == Op::subgroup_broadcast) return shuffle(value_, second_);
        if (op_ == Op::subgroup_shuffle_up) return shuffle(value_, ir_.binary(Op::sub, lane_, second_));
        if (op_ == Op::subgroup_shuffle_down) return shuffle(value_, ir_.binary(Op::add, lane_, second_));
        if (op_ == Op::subgroup_shuffle_xor) return shuffle(value_, ir_.binary(Op::bit_xor, lane_, second_));
        if (!is_full_) active_ = ir_.subgroup(Op::subgroup_ballot, ir_.constant(true));
        if (op_ == Op::subgroup_broadcast_first)
            return shuffle(value_, is_full_ ? number(0) : first_of(number(0), size_).lane);
        if (semantics::is_inclusive(op_) || semantics::is_exclusive(op_))
            return is_full_ ? prefix_of_all() : prefix_of_active();
        return is_full_ ? total_of_all() : total_of_active();
    }

  private:
    NodeId number(std::uint32_t value) { return ir_.constant(value); }
    NodeId masked(NodeId value, std::uint32_t mask) { return ir_.binary(Op::bit_and, value, number(mask)); }
    NodeId is_set(NodeId bits) { return ir_.binary(Op::ne, bits, number(0)); }
    /// Numbers of 64 bits go as two words.
    NodeId shuffle(NodeId value, NodeId lane) {
        const Type type = ir_.types()[ir_.type(value)];  // a copy: the table may grow
        if (!is_wide(type.scalar)) return ir_.subgroup(Op::subgroup_shuffle, value, lane);
        std::vector<NodeId> components;
        for (std::uint32_t k = 0; k < type.width; ++k) {
            const NodeId component = type.width == 1 ? value : ir_.extract(value, k);
            const NodeId words =
                ir_.subgroup(Op::subgroup_shuffle, ir_.bitcast(Scalar::u32, component), lane);
            components.push_back(ir_.bitcast(type.scalar, words));
        }
        return type.width == 1 ? components[0] : ir_.compose(ir_.type(value), components);
    }
    NodeId combine(NodeId lower, NodeId upper) {
        return ir_.binary(semantics::combination(op_), lower, upper);
    }

    // Every invocation of a block has the block's result, so that each fetches that of the
    // other half of the next block.
    NodeId total_of_all() {
        NodeId block = value_;
        for (std::uint32_t half = 1; half < size_; half *= 2)
            block = combine(block, shuffle(block, ir_.binary(Op::bit_xor, lane_, number(half))));
        return block;
    }

    NodeId total_of_active() {
        NodeId block = value_;
        for (std::uint32_t half = 1; half < size_; half *= 2) {
            const NodeId other_half = masked(ir_.binary(Op::bit_xor, lane_, number(half)), ~(half - 1));
            const Found other = first_of(other_half, half);
            const NodeId both = combine(block, shuffle(block, ir_.select(lane_, other.lane, other.any)));
            block = ir_.select(block, both, other.any);
        }
        return block;
    }

    // The last invocation of a lower half has the half's total.
    NodeId prefix_of_all() {
        NodeId prefix = value_;
        for (std::uint32_t half = 1; half < size_; half *= 2) {
            const NodeId last = ir_.binary(Op::bit_or, masked(lane_, ~(2 * half - 1)), number(half - 1));
            const NodeId both = combine(shuffle(prefix, last), prefix);
            prefix = ir_.select(prefix, both, is_set(masked(lane_, half)));
        }
        if (semantics::is_inclusive(op_)) return prefix;
        const NodeId before = masked(ir_.binary(Op::add, lane_, number(size_ - 1)), size_ - 1);
        return ir_.select(identity(), shuffle(prefix, before), is_set(lane_));
    }

    NodeId prefix_of_active() {
        NodeId inclusive = value_, exclusive = identity(), has_before = ir_.constant(false);
        for (std::uint32_t half = 1; half < size_; half *= 2) {
            const Found last = last_of(masked(lane_, ~(2 * half - 1)), half);
            const NodeId adds = ir_.binary(Op::bit_and, last.any, is_set(masked(lane_, half)));
            const NodeId lower = shuffle(inclusive, ir_.select(lane_, last.lane, adds));
            inclusive = ir_.select(inclusive, combine(lower, inclusive), adds);
            const NodeId before =
                half == 1 ? lower : ir_.select(lower, combine(lower, exclusive), has_before);
            exclusive = ir_.select(exclusive, before, adds);
            has_before = half == 1 ? adds : ir_.binary(Op::bit_or, has_before, adds);
        }
        return semantics::is_inclusive(op_) ? inclusive : exclusive;
    }

    NodeId identity() {
        const Type& type = ir_.types()[ir_.type(value_)];
        const std::uint32_t neutral = semantics::combination(op_) == Op::mul ? 1 : 0;
        return ir_.splat(ir_.convert(type.scalar, number(neutral)), type.width);
    }

    // The bits of the 32 invocations around `lane`.
    NodeId word_of(NodeId lane) {
        if (size_ <= 32) return ir_.extract(active_, 0);
        return ir_.extract_dynamic(active_, ir_.binary(Op::shift_right, lane, number(5)));
    }
    // The bits of `count` invocations, a power of two up to 32, from a multiple of it on.
    NodeId bits_from(NodeId first, std::uint32_t count) {
        if (count == 32) return word_of(first);
        const NodeId shifted = ir_.binary(Op::shift_right, word_of(first), masked(first, 31));
        return masked(shifted, (1u << count) - 1);
    }

    Found first_of(NodeId first, std::uint32_t count) {
        if (count > 32) {
            const Found low = first_of(first, count / 2);
            const Found high = first_of(ir_.binary(Op::add, first, number(count / 2)), count / 2);
            return {ir_.binary(Op::bit_or, low.any, high.any), ir_.select(high.lane, low.lane, low.any)};
        }
        const NodeId bits = bits_from(first, count);
        return {is_set(bits), ir_.binary(Op::add, first, ir_.unary(Op::count_trailing_zeros, bits))};
    }

    Found last_of(NodeId first, std::uint32_t count) {
        if (count > 32) {
            const Found low = last_of(first, count / 2);
            const Found high = last_of(ir_.binary(Op::add, first, number(count / 2)), count / 2);
            return {ir_.binary(Op::bit_or, low.any, high.any), ir_.select(low.lane, high.lane, high.any)};
        }
        const NodeId bits = bits_from(first, count);
        const NodeId position = ir_.binary(Op::sub, number(31), ir_.unary(Op::count_leading_zeros, bits));
        return {is_set(bits), ir_.binary(Op::add, first, position)};
    }

    IrBuilder& ir_;
    Op op_;
    NodeId value_, second_;
    std::uint32_t size_;
    bool is_full_;  // every invocation of every subgroup takes part
    NodeId lane_;
    NodeId active_;  // the ballot of those that take part, unless all do
};

}  // namespace

bool is_shuffle_of_words(const Program& program, NodeId id) {
    return program.node(id).op == Op::subgroup_shuffle &&
           is_wide(program.types()[program.type(program.operand(id, 0))].scalar);
}

bool is_written_with_shuffles(Op op) {
    return info(op).group == OpGroup::subgroup && op != Op::subgroup_ballot && op != Op::subgroup_shuffle;
}

NodeId with_shuffles(IrBuilder& ir, const RewrittenNode& node, std::uint32_t size) {
    return WithShuffles(ir, node, size).run();
}

}  // namespace muster
