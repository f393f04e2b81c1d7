// filled.hpp - proves that the invocations of a box of workgroups store to every element of an
// interval. Internal to footprints.
//
// Recognises indices that count through an interval, or through the rows of a picture (y * width + x),
// made of the invocation's ids, where the store is in branches, or behind returns, that compare parts
// of the index with bounds.
#pragma once

#include <optional>
#include <vector>

#include <muster/foundation/analysis/ranges/walk.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::footprint {

/// By node: true if exactly those invocations get there for which the conditions that the
/// walk assumes there hold.
std::vector<bool> plainly_reached(const Program& program);

struct Filled {
    ranges::Interval elements;
    std::vector<RangeComparison> filled_if;  // only if all hold
};

/// At the store that the walk has reached, which is plainly reached.
std::optional<Filled> filled_by(const Program& program, ranges::Walk& walk, ranges::ValueId index);

}  // namespace muster::footprint
