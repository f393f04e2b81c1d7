// summary.hpp - what a model's runs do, step by step, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <muster/driver/routing/route.hpp>

namespace muster::graph {

/// Nodes that are computed together.
struct ModelStep {
    std::vector<std::string> nodes;  // their labels (Graph::label())
    std::string pattern;             // the fusion pattern that joined them; empty: none
    std::size_t kernels = 0;         // 0: the result is another's memory, seen otherwise
    std::optional<Route> route;      // of its kernels, or of the first that can't execute
};

/// The steps of runs with inputs of certain sizes, and their memory.
struct RunSummary {
    std::string pack;
    bool pack_keeps_bits = true;  // those of the portable pack
    std::vector<ModelStep> steps;
    std::vector<std::string> notes;                        // what isn't as one would expect
    std::uint64_t weight_bytes = 0, activation_bytes = 0;  // in the devices' memory
};

/// One kernel of a run.
struct KernelTime {
    std::size_t step = 0;  // of RunSummary::steps
    double start_ms = 0;   // since the run's first kernel
    double ms = 0;
};

}  // namespace muster::graph
