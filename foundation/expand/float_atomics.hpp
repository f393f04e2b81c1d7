// float_atomics.hpp - writes atomic operations on f32 with a compare-exchange of their
// bits. Internal to expand.
#pragma once

#include <vector>

#include <muster/foundation/build/rewrite.hpp>

namespace muster {

/// For each variable whether its atomic<f32> become atomic<u32>: if the program does something to one that
/// `native.f32_atomics` lacks. Empty if none does.
std::vector<bool> float_atomics_as_words(const Program& program, const OpSet& native);

/// Writes an atomic operation on an f32 whose place, in the new program, is an atomic<u32>.
NodeId with_compare_exchange(IrBuilder& ir, const RewrittenNode& node);

/// The operations of what with_compare_exchange() writes.
OpSet float_atomic_blocks();

}  // namespace muster
