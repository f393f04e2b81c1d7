// recompute.hpp - finds values that a part computes again instead of restoring them from the scratch.
// Internal to the splitter.
//
// Only values made of data that never changes: built-in values, constants, uniforms, storage that the program
// only reads, lengths of arrays, and host values.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/split/host_values.hpp>

namespace muster::split {

class Recompute {
  public:
    /// If `floats` is varying, no float operation is computed again.
    Recompute(const Program& program, const HostValues& host, FloatResults floats);

    /// True for a value that the host passes to parts.
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
