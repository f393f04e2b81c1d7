// reduce.hpp - makes WGSL text smaller while something stays true of it: to show a
// fault by the smallest kernel.
//
//     const std::string small = reduce(text, [](const std::string& candidate) { return still_wrong(candidate); }, limits);
//
// It removes declarations, statements and parts of expressions, and puts blocks in place of what is
// around them, without knowing types: many candidates aren't valid WGSL, and `holds` says false for
// those. Pure, apart from the clock.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace muster::conformance {

/// A smaller text for which `holds` is true; the text itself if none is found before the deadline.
std::string reduce(const std::string& text, const std::function<bool(const std::string&)>& holds,
                   std::chrono::steady_clock::time_point deadline);

}  // namespace muster::conformance
