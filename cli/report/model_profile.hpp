// model_profile.hpp - where a model's time goes: a table by node, or a timeline as SVG.
#pragma once

#include <span>
#include <string>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/run/summary.hpp>

namespace muster::cli {

/// "-" prints the table, the slowest first; a path that ends with .svg becomes the
/// timeline. Errors: io_failed.
Result<void> write_profile(const graph::RunSummary& summary, std::span<const graph::KernelTime> times,
                           const std::string& path);
/// Errors: invalid_argument (another extension), those of check_writable().
Result<void> check_profile_path(const std::string& path);

}  // namespace muster::cli
