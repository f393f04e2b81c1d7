// commands.hpp - one function per command, each in its own source.
//
// They print to standard output and return the tool's exit; main() prints a Failure.
#pragma once

#include <cstdint>

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/support/exit.hpp>

namespace muster::bench {
struct Options;
}

namespace muster::cli {

/// When the process began: steady clock, nanoseconds.
struct Start {
    std::int64_t ns = 0;
};

Attempt<Exit> command_backends(const BackendsArguments& arguments);
Attempt<Exit> command_route(const RouteArguments& arguments);
Attempt<Exit> command_run(const RunArguments& arguments, Start start);
Attempt<Exit> command_pipeline(const PipelineArguments& arguments);
Attempt<Exit> command_emit(const EmitArguments& arguments);
Attempt<Exit> command_inspect(const InspectArguments& arguments);
Attempt<Exit> command_check(const CheckArguments& arguments);
Attempt<Exit> command_bench(const BenchArguments& arguments);
/// `muster bench --tune`.
Attempt<Exit> command_tune(const BenchArguments& arguments, const bench::Options& options);
Attempt<Exit> command_sanitize(const SanitizeArguments& arguments);
Attempt<Exit> command_cache(const CacheArguments& arguments);
Attempt<Exit> command_quantize(const QuantizeArguments& arguments);
Attempt<Exit> command_new_backend(const NewBackendArguments& arguments);
/// Constructs no backend, and opens none.
Attempt<Exit> command_version(const VersionArguments& arguments);
/// Prints what a value of this kind may be, one a line; nothing for a kind without a list. Opens plugins to ask them for
/// targets and formats, but probes no device.
Attempt<Exit> command_complete(const CompleteArguments& arguments);

}  // namespace muster::cli
