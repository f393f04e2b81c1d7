// run.hpp - the parts of `muster run`.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/input/grid_argument.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/driver/artifact/artifact_file.hpp>

namespace muster::cli {

/// A run that has said its results ends once its code is optimised, so that the next run finds it.
inline constexpr std::chrono::minutes most_until_optimized{5};

struct RunArguments {
    ProgramArguments program;
    RoutingArguments routing;
    InputArguments input;
    std::vector<std::string> outs;     // NAME=FILE
    std::vector<std::string> devices;  // of one dispatch; empty: one is routed to
    std::vector<std::string> specs;    // KEY=VALUE
    std::uint32_t repeat = 1;
    std::string timeout;  // "10", "500ms"; empty: none
    std::string profile;  // of a model: file, or -; empty: none
    bool tuned = false;
    bool explain = false;
    bool quiet = false;
    bool json = false;
};

/// `muster run` of a model. `start_ns`: when the process began, on the steady clock.
Attempt<Exit> run_model(const RunArguments& arguments, std::int64_t start_ns);
/// Runs the program on `arguments.devices`, reports, and puts what it writes into `host`.
Attempt<void> run_on_devices(const RunArguments& arguments, const ValidProgram& program,
                             const CompileOptions& options, const ChosenGrid& grid, const NamedTexts& outputs,
                             HostBuffers& host);

}  // namespace muster::cli
