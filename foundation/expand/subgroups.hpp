// subgroups.hpp - writes operations of subgroups with ballots and shuffles, in the order of semantics/subgroups.hpp. Internal
// to expand.
#pragma once

#include <muster/foundation/build/rewrite.hpp>

namespace muster {

/// True for operations that are written with others; the rest are subgroup_ballot and subgroup_shuffle.
bool is_written_with_shuffles(Op op);

/// Writes the operation for subgroups of `size` invocations. Precondition: is_written_with_shuffles().
NodeId with_shuffles(IrBuilder& ir, const RewrittenNode& node, std::uint32_t size);

}  // namespace muster
