// recompute.hpp - which values a part computes again rather than having them spilled by another. Internal to the splitter.
//
// Only what is made of values that never change: built-in ones, constants, uniforms, storage that the program only reads,
// lengths of arrays, and what the host hands to parts.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/split/host_values.hpp>

namespace muster::split {

class Recompute {
  public:
    /// Where results of floats vary, none of their operations is done again.
    Recompute(const Program& program, const HostValues& host, FloatResults floats);

    /// A value that the host hands to parts.
    bool is_leaf(NodeId node) const;
    bool is_cheap(NodeId value) const { return is_cheap_[value.index]; }

  private:
    bool may_be_part(NodeId node) const;
    bool is_made_cheaply(NodeId value) const;
    bool add(NodeId value, std::vector<NodeId>& seen, std::uint32_t& cost) const;

    const Program& program_;
    const HostValues& host_;
    FloatResults floats_;
    std::vector<bool> is_cheap_;  // by node
};

}  // namespace muster::split
