// jump_targets.hpp - the constructs around the code being built, and where jumps out of them lead.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <muster/backend-cpu/compiler/lowering/lane_builder.hpp>

namespace muster::cpu {

struct JumpTarget {
    static constexpr std::uint64_t no_place = UINT64_MAX;
    NodeId construct;
    BasicBlock* leave = nullptr;  // break_
    BasicBlock* go_on = nullptr;  // continue_
    Value* leave_mask = nullptr;  // slots; null if every lane leaves together
    Value* go_on_mask = nullptr;
    bool of_workgroup = false;
    std::uint64_t away = no_place;  // workgroup's level: lanes that left, as a set in scratch
    std::uint64_t away_until_continuing = no_place;
    bool is_left_by_regions() const { return away != no_place; }
};

class JumpTargets {
  public:
    explicit JumpTargets(const Program& program) : program_(program) {}
    void push(const JumpTarget& target) { around_.push_back(target); }
    void pop() { around_.pop_back(); }

    std::span<const JumpTarget> outermost_first() const { return around_; }
    const JumpTarget& innermost() const { return around_.back(); }
    /// The target of a break_ or continue_.
    const JumpTarget& of(NodeId jump) const {
        const bool continues = program_.node(jump).op == Op::continue_;
        for (std::size_t t = around_.size(); t-- > 0;)
            if (!continues || program_.node(around_[t].construct).op == Op::loop) return around_[t];
        return around_.back();
    }

    /// The lanes that have returned, as a set in scratch; no_place: nothing runs after their region.
    std::uint64_t returned = JumpTarget::no_place;

  private:
    const Program& program_;
    std::vector<JumpTarget> around_;
};

}  // namespace muster::cpu
