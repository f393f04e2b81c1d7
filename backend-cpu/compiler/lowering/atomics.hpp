// atomics.hpp - atomic operations: lane by lane, or one update if all lanes access the same word and the
// old value isn't used. In workgroup memory they are plain accesses, because one thread runs all
// invocations of a workgroup.
#pragma once

#include <vector>

#include <muster/backend-cpu/compiler/lowering/lane_scalars.hpp>
#include <muster/backend-cpu/compiler/lowering/shared_access.hpp>

namespace muster::cpu {

class Atomics : KernelPart {
  public:
    Atomics(const KernelPart& kernel, SharedVariables& shared, const Assumptions& assumptions,
            SharedAccess& access, LaneScalars& scalars, NodeValues& values)
        : KernelPart(kernel),
          shared_(shared),
          assumptions_(assumptions),
          access_(access),
          scalars_(scalars),
          values_(values) {}

    void run(NodeId node);

    /// True for an operation that a loop over lanes may do for one lane after the other, with scalars.
    bool may_run_in_lane(NodeId node) const;
    /// Sets the only lane that operations are built for, an i64; null: all of them.
    void set_lane(Value* lane) { lane_ = lane; }
    bool is_in_lane() const { return lane_ != nullptr; }

  private:
    Value* update(NodeId node, Value* pointer, Value* operand, Value* expected);
    Value* alone(NodeId node, const Address& to, const Lane& operand, const Lane& expected);
    Value* of_lanes(NodeId node, const Address& to, const Lane& operand, const Lane& expected);
    void combined(NodeId node, const Address& to, const Lane& operand, Value* mask);
    Value* plain(NodeId node, const Address& to, const Lane& operand);
    void scattered(NodeId node, const Address& to, const Lane& operand);
    Value* one_by_one(NodeId node, const Address& to, const Lane& operand, const Lane& expected, Value* mask,
                      bool turns_are_cheap);
    std::vector<Value*> wide_lanes(Value* vector);
    Value* spread(Value* vector, const char* name);
    Scalar scalar_of(NodeId node) const;
    llvm::Type* type_of(NodeId node);
    Lane operand_of(NodeId operand);
    void set_old(NodeId node, Value* old);
    Place place_of(NodeId node) const { return resolve(program_, program_.operand(node, 0)); }
    bool is_used(NodeId node) const { return facts_.used[node.index]; }
    bool is_plain(NodeId node) const {
        return is_plain_atomic(program_.variable(program_.root_variable(program_.operand(node, 0))));
    }

    SharedVariables& shared_;
    const Assumptions& assumptions_;
    SharedAccess& access_;
    LaneScalars& scalars_;
    NodeValues& values_;
    Value* lane_ = nullptr;
};

}  // namespace muster::cpu
