#include <algorithm>

#include <muster/foundation/analysis/flow_walk.hpp>
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

/// The state: the workgroups that get there.
class Finder final : FlowWalk<StateMeeting<Extent3>> {
  public:
    explicit Finder(const Program& program) : FlowWalk(program), program_(program) {}

    Extent3 writing() {
        follow(program_.body());
        return writing_;
    }

  private:
    using Meeting = StateMeeting<Extent3>;
    /// Limit per condition: chains of conditions on conditions may be visited many times.
    static constexpr int max_visits = 64;

    void operation(NodeId id) override {
        if (writes(id)) writing_ = either(writing_, here_);
    }
    Meeting meeting(NodeId) override { return {here_, none}; }
    void rewind(const Meeting& at) override { here_ = at.before; }
    void arrive(Meeting& at) override { at.met = either(at.met, here_); }
    void resume(Meeting& at) override { here_ = at.met; }
    void open(const Edge& edge, const Meeting&) override {
        if (program_.node(edge.construct).op == Op::if_)
            here_ = both(here_, where(program_.operand(edge.construct, 0), edge.number == 0));
    }

    bool writes(NodeId id) const {
        const Op op = program_.node(id).op;
        if (op == Op::extension) return true;
        if (op != Op::store && (info(op).group != OpGroup::atomic || op == Op::atomic_load)) return false;
        return program_.variable(program_.root_variable(program_.operand(id, 0))).space ==
               AddressSpace::storage;
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
    Extent3 here_ = all, writing_ = none;
    int visits_ = 0;
};

}  // namespace

Extent3 writing_workgroups(const Program& program) { return Finder(program).writing(); }

}  // namespace muster
