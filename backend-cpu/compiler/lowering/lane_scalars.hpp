// lane_scalars.hpp - values of one lane, computed again with scalars from memory: if that takes a load and a
// few operations, it is cheaper than to take the lane out of a vector.
#pragma once

#include <muster/backend-cpu/compiler/lowering/assumptions.hpp>
#include <muster/backend-cpu/compiler/lowering/node_values.hpp>

namespace muster::cpu {

class LaneScalars : KernelPart {
  public:
    LaneScalars(const KernelPart& kernel, SharedVariables& shared, const Assumptions& assumptions,
                NodeValues& values)
        : KernelPart(kernel), shared_(shared), assumptions_(assumptions), values_(values) {}

    /// True if each lane's indices into the place are better computed with scalars than
    /// taken out of the vector.
    bool are_cheap(const Place& place) const;
    /// A lane's element, for indices that are within bounds, so below 2^31. `lane`: its number, an i64.
    Value* pointer(const Place& place, Value* lane);

  private:
    bool is_cheap(const Place& place, int& budget) const;
    bool is_cheap(NodeId value, int& budget) const;
    bool can_load(NodeId load, int& budget) const;
    Value* of_lane(NodeId value, Value* lane);
    Value* load(NodeId load, std::uint32_t word, Value* lane);

    SharedVariables& shared_;
    const Assumptions& assumptions_;
    NodeValues& values_;
};

}  // namespace muster::cpu
