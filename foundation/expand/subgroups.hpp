// subgroups.hpp - writes operations of subgroups with ballots and shuffles, in the order of
// semantics/subgroups.hpp. Internal to expand.
#pragma once

#include <muster/foundation/build/rewrite.hpp>

namespace muster {

/// True for operations that are written with others; the rest are subgroup_ballot and subgroup_shuffle.
bool is_written_with_shuffles(Op op);

/// True for shuffles of numbers of 64 bits, which are written with those of words for every device.
bool is_shuffle_of_words(const Program& program, NodeId id);

/// Writes the operation for subgroups of `size` invocations. Precondition: one of the two is true of it.
NodeId with_shuffles(IrBuilder& ir, const RewrittenNode& node, std::uint32_t size);

}  // namespace muster
