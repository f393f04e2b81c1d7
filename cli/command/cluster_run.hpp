// cluster_run.hpp - `muster run --devices cpu,vulkan:0`: one dispatch over several devices.
#pragma once

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/input/grid_argument.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/driver/artifact/artifact_file.hpp>

namespace muster::cli {

/// Runs the program on `arguments.devices`, reports, and puts what it writes into `host`.
Attempt<void> run_on_devices(const RunArguments& arguments, const ValidProgram& program,
                             const CompileOptions& options, const ChosenGrid& grid, const NamedTexts& outputs,
                             HostBuffers& host);

}  // namespace muster::cli
