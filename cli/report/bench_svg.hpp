// bench_svg.hpp - the rooflines of `muster bench` as one picture: no script, nothing loaded from elsewhere.
#pragma once

#include <string>

#include <muster/measuring/bench.hpp>

namespace muster::cli {

/// A panel for each device: the roof over FLOP per byte with a point for each kernel that computes with
/// floats, and beside it the share of the roof that each kernel attains.
std::string bench_svg(const bench::Report& report);

}  // namespace muster::cli
