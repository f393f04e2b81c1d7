// group_kernels.hpp - what lowering makes of a group of nodes: kernels, in order, with what they bind.
//
// A kernel is WGSL whose entry point is main; its bindings have the names that
// KernelBinding gives. Threads: values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <muster/graph/kernel_text/storage.hpp>

namespace muster::graph {

struct KernelBinding {
    std::string name;
    PlanBuffer place;
    bool operator==(const KernelBinding&) const = default;
};

/// One dispatch.
struct KernelStep {
    std::string wgsl;
    std::vector<KernelBinding> bindings;
    std::array<std::uint32_t, 3> workgroups{1, 1, 1};
};

/// A constant as a device's buffer holds it.
using PackedConstant = std::vector<std::byte>;

struct GroupKernels {
    std::vector<KernelStep> steps;
    std::vector<PackedConstant> packed;       // PlanBuffer{packed, i} is the i-th
    std::vector<std::int64_t> scratch_bytes;  // PlanBuffer{scratch, i} is the i-th
};

}  // namespace muster::graph
