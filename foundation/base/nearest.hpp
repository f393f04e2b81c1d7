// nearest.hpp - suggests the names that a misspelt one may mean.
//
//     nearest("cud", names)      // {"cuda"}
//
// Threads: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/api.hpp>

namespace muster {

/// The number of insertions, deletions, replacements and swaps of neighbouring characters that turn
/// one text into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

MUSTER_API_BEGIN

/// The at most three nearest names, nearest first, ties in the order given. A name is near if its edit
/// distance is at most a third of its length (but at least one), or if it begins with `name`.
std::vector<std::string> nearest(std::string_view name, std::span<const std::string> names);

/// A text for an error's fix: "did you mean "cuda"?"; if no name is near: "there are: cuda,
/// cpu"; without names: empty.
std::string did_you_mean(std::string_view name, std::span<const std::string> names);

MUSTER_API_END
}  // namespace muster
