// attribute_check.hpp - a node's attributes against its operator's schema, and their canonical form. Internal
// to the builder and to drafts.
#pragma once

#include <span>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/operator.hpp>

namespace muster::graph {

/// Errors: invalid_program (one that the schema doesn't have, of another kind, given twice, or
/// a required one missing).
Result<void> check_attributes(const OperatorInfo& schema, std::span<const NamedAttribute> attributes);

/// Sorts by name and takes out what is the default.
void make_canonical(const OperatorInfo& schema, std::vector<NamedAttribute>& attributes);

}  // namespace muster::graph
