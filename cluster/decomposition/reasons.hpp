// reasons.hpp - says why a dispatch can't be cut, at the access that prevents it. Internal to cluster/decomposition.
#pragma once

#include <cstddef>

#include <muster/cluster/decomposition/plan.hpp>
#include <muster/foundation/analysis/footprint/footprint.hpp>

namespace muster::cluster {

/// `access` and `other`, perhaps the same, may concern the same words on different
/// ranks; at least one writes.
OneRank shared_words(const Footprint& footprint, std::size_t access, std::size_t other, bool is_bounded);
/// Atomics of several ranks change words that `access` concerns too.
OneRank mixed_with_atomics(const Footprint& footprint, std::size_t access);
/// Nothing bounds a read, and some rank lacks words of the binding.
OneRank unbounded_read(const Footprint& footprint, std::size_t access);

}  // namespace muster::cluster
