// kept_values.hpp - values that one region of a workgroup's body computes for others, or for
// the workgroup's branches.
#pragma once

#include <map>

#include <muster/backend-cpu/compiler/lowering/node_values.hpp>

namespace muster::cpu {

class KeptValues : KernelPart {
  public:
    KeptValues(const KernelPart& kernel, WorkgroupScratch& scratch, NodeValues& values)
        : KernelPart(kernel), scratch_(scratch), values_(values) {}
    void lay_out();  // in the subgroups' records

    /// Stores a value that was just computed, if others need it. At once, not at the region's end: a
    /// continuing block uses it even after lanes continued early.
    void keep(NodeId node);
    /// Loads or computes the values of other regions that a region needs.
    void restore(const PlanRegion& region);
    /// The value that the whole workgroup branches on.
    Value* decision(NodeId value);

  private:
    std::uint64_t stride_of(NodeId node) const;  // bytes from word to word
    Value* slot_of_decision(NodeId value);

    WorkgroupScratch& scratch_;
    NodeValues& values_;
    std::map<std::uint32_t, std::uint64_t> kept_at_;  // by node: offset in a record
    std::map<std::uint32_t, Value*> decisions_;       // by node: slot
};

}  // namespace muster::cpu
