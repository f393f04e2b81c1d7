// sample.hpp - chooses workgroups of a large grid. Internal to foundation.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster {

/// The fewest workgroups of a sample: the first and the last one, with a neighbour of each along every axis.
inline constexpr std::uint64_t least_sample = 8;

/// Chooses `count` workgroups, at least least_sample, of a grid that has more, each once: the
/// first and the last one with their neighbours, and others, which depend on the seed, with
/// theirs. The same on every machine.
std::vector<Extent3> sample_workgroups(Extent3 grid, std::uint64_t count, std::uint64_t seed);

}  // namespace muster
