// grid_argument.hpp - chooses the grid: by --workgroups or --invocations, or from the bindings.
#pragma once

#include <string>

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/driver/contract/grid.hpp>

namespace muster::cli {

struct ChosenGrid {
    Grid grid;
    Extent3 workgroups;
    std::string origin;  // what it follows from, for people: "as many invocations as y has elements"
};

/// Without either option: as many invocations along x as the first written run-time array, in binding order,
/// has elements. Errors: invalid_argument (not numbers, or no array to follow from), limit_exceeded.
Result<ChosenGrid> choose_grid(const InputArguments& arguments, const Program& program,
                               const HostBuffers& buffers);

/// A kernel's buffers, from --bind, and its grid.
struct KernelInput {
    HostBuffers buffers;
    ChosenGrid grid;
};
/// Errors: those of make_buffers() and choose_grid().
Result<KernelInput> make_input(const InputArguments& arguments, const Program& program);

}  // namespace muster::cli
