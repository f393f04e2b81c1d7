// part_builder.hpp - builds the program of one part from its segment and its plan. Internal to the splitter.
#pragma once

#include <cstdint>

#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/split/plan.hpp>

namespace muster::split {

struct PartSource {
    const Program& program;
    const HostControlFlow& host_flow;
    const HostValues& host;
    const Schedule& schedule;
    const Plan& plan;
};

/// Group and binding numbers of the added bindings; the program doesn't use them.
struct AddedBindings {
    std::uint32_t group = 0, scratch = 0, host_values = 0;
    explicit AddedBindings(const Program& program);
};

/// Builds a part without validating it. `number` is the part's, from 1. Errors: limit_exceeded.
Result<Program> build_part(const PartSource& source, std::uint32_t segment, std::uint32_t number);

/// Maps a part's bindings to their sources.
std::vector<SplitBinding> bindings_of_part(const Program& program, const Program& part);

}  // namespace muster::split
