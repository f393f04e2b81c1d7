// nearest.hpp - for who misspells a name: those that it may have meant.
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

namespace muster {

/// How many characters are put in, left out, replaced or swapped with their neighbour to make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The names that are near: a third of their characters off or less, at least one; and those that `name` begins. The
/// nearest first, those equally near in their order. Three at most.
std::vector<std::string> nearest(std::string_view name, std::span<const std::string> names);

/// For a Fix: "did you mean "cuda"?"; nothing is near: "there are: cuda, cpu"; no names: empty.
std::string did_you_mean(std::string_view name, std::span<const std::string> names);

}  // namespace muster
