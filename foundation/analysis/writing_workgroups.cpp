#include <algorithm>

#include <muster/foundation/analysis/writing_workgroups.hpp>

namespace muster {
namespace {

constexpr std::uint32_t any = UINT32_MAX;
constexpr Extent3 all{any, any, any}, none{0, 0, 0};

Extent3 both(Extent3 a, Extent3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Extent3 either(Extent3 a, Extent3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

std::uint32_t axis_of(Extent3 extent, std::uint32_t axis) {
    return axis == 0 ? extent.x : axis == 1 ? extent.y : extent.z;
}

class Finder {
  public:
    explicit Finder(const Program& program) : program_(program) {}

    /// The workgroups among `here`, which reach the block, that write in it.
    Extent3 writing(BlockId block, Extent3 here) {
        Extent3 found = none;
        for (const NodeId id : program_.block(block)) {
            if (writes(id)) found = either(found, here);
            const auto blocks = program_.blocks(id);
            if (program_.node(id).op != Op::if_) {
                for (const BlockId inner : blocks) found = either(found, writing(inner, here));
                continue;
            }
            const Extent3 then = both(here, where(program_.operand(id, 0), true));
            const Extent3 otherwise = both(here, where(program_.operand(id, 0), false));
            found = either(found, either(writing(blocks[0], then), writing(blocks[1], otherwise)));
            if (leaves(blocks[0])) here = otherwise;
            if (leaves(blocks[1])) here = both(here, then);
        }
        return found;
    }

  private:
    /// Limit per condition: chains of conditions on conditions may be visited many times.
    static constexpr int max_visits = 64;

    bool writes(NodeId id) const {
        const Op op = program_.node(id).op;
        if (op == Op::extension) return true;
        if (op != Op::store && (info(op).group != OpGroup::atomic || op == Op::atomic_load)) return false;
        return program_.variable(program_.root_variable(program_.operand(id, 0))).space ==
               AddressSpace::storage;
    }

    bool leaves(BlockId block) const {
        const auto nodes = program_.block(block);
        if (nodes.empty()) return false;
        const Op op = program_.node(nodes.back()).op;
        return op == Op::return_ || op == Op::break_ || op == Op::continue_;
    }

    /// The workgroups in which a condition may be `wanted`.
    Extent3 where(NodeId condition, bool wanted) {
        visits_ = 0;
        return bounds_of(condition, wanted);
    }

    Extent3 bounds_of(NodeId condition, bool wanted) {
        if (++visits_ > max_visits) return all;
        const Op op = program_.node(condition).op;
        const auto operands = program_.operands(condition);
        if (op == Op::logical_not) return bounds_of(operands[0], !wanted);
        if (op == Op::bit_and || op == Op::bit_or) {
            const Extent3 a = bounds_of(operands[0], wanted), b = bounds_of(operands[1], wanted);
            return (op == Op::bit_and) == wanted ? both(a, b) : either(a, b);
        }
        const bool is_upper_bound = op == Op::lt || op == Op::le,
                   is_lower_bound = op == Op::gt || op == Op::ge;
        if (op == Op::eq && wanted) return at_most(operands, 0);
        if (op == Op::ne && !wanted) return at_most(operands, 0);
        if (is_upper_bound && wanted) return at_most(operands, op == Op::lt ? 1 : 0);
        if (is_lower_bound && !wanted) return at_most(operands, op == Op::ge ? 1 : 0);
        return all;
    }

    /// The workgroups in which an id, the first operand, is at most the constant
    /// second operand minus `below`.
    Extent3 at_most(std::span<const NodeId> operands, std::uint32_t below) const {
        const Node& id = program_.node(operands[0]);
        if (id.op != Op::extract || program_.node(operands[1]).op != Op::constant) return all;
        const Node& ids = program_.node(program_.operand(operands[0], 0));
        if (ids.op != Op::builtin) return all;
        const auto words = program_.constant_words(operands[1]);
        const std::uint64_t limit = words.empty() ? 0 : words[0];
        const std::uint64_t count = limit + 1 - std::min<std::uint64_t>(below, limit + 1);
        const auto builtin = static_cast<Builtin>(ids.payload);
        std::uint64_t size = 1;
        if (builtin == Builtin::global_invocation_id)
            size = axis_of(program_.workgroup_size(), id.payload);
        else if (builtin != Builtin::workgroup_id)
            return all;
        Extent3 found = all;
        (id.payload == 0   ? found.x
         : id.payload == 1 ? found.y
                           : found.z) =
            static_cast<std::uint32_t>(std::min<std::uint64_t>((count + size - 1) / size, any));
        return found;
    }

    const Program& program_;
    int visits_ = 0;
};

}  // namespace

Extent3 writing_workgroups(const Program& program) { return Finder(program).writing(program.body(), all); }

}  // namespace muster
