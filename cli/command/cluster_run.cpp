#include <chrono>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/command/run.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/report/run_report.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/cluster/execution/cluster_session.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

using ClusterBuffers = std::map<std::string, ClusterBuffer, std::less<>>;

/// Every device gets everything: what is written once and dispatched once isn't worth cutting up.
Attempt<ClusterBuffers> upload(ClusterSession& cluster, const Program& program, const HostBuffers& host) {
    ClusterBuffers buffers;
    for (const auto& [name, buffer] : host) {
        if (find_binding(program, name)->space == AddressSpace::uniform) continue;
        auto made = TRY(step(during("making the buffer of " + name, cluster.buffer(buffer.bytes.size()))));
        TRY(step(made.write_bytes(buffer.bytes)));
        buffers.emplace(name, std::move(made));
    }
    return buffers;
}

std::vector<ClusterArgument> arguments_of(const HostBuffers& host, const ClusterBuffers& buffers) {
    std::vector<ClusterArgument> arguments;
    for (const auto& [name, value] : host) {
        const auto buffer = buffers.find(name);
        if (buffer == buffers.end())
            arguments.emplace_back(name, ArgumentValue{InlineVector<std::byte, 64>(value.bytes), {}});
        else
            arguments.emplace_back(name, buffer->second);
    }
    return arguments;
}

}  // namespace

Attempt<void> run_on_devices(const RunArguments& arguments, const ValidProgram& program,
                             const CompileOptions& options, const ChosenGrid& grid, const NamedTexts& outputs,
                             HostBuffers& host) {
    if (arguments.repeat != 1)
        return misused("--devices runs once, and --repeat asks for more.", "leave out one of them");
    if (!arguments.timeout.empty())
        return misused("A run with --devices has no time limit, and --timeout asks for one.",
                       "leave out one of them");
    ClusterOptions of{.devices = arguments.devices};
    of.session.policy = TRY(policy_of(arguments.routing));
    TRY(begin_trace(arguments.routing));
    ClusterSession cluster = TRY(step(ClusterSession::open(std::move(of))));
    const ClusterKernel kernel = TRY(step(cluster.prepare(program, options)));
    const ClusterBuffers buffers = TRY(upload(cluster, *program, host));
    const std::vector<ClusterArgument> bound = arguments_of(host, buffers);
    const std::string plan = TRY(step(cluster.explain(kernel, bound, grid.grid)));

    const auto begin = std::chrono::steady_clock::now();
    const ClusterTicket ticket = TRY(step(cluster.dispatch(kernel, bound, grid.grid)));
    TRY(step(ticket.wait()));
    const auto took = std::chrono::steady_clock::now() - begin;
    const auto wall_ns =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
    for (const auto& [name, buffer] : buffers) TRY(step(buffer.read_bytes(host.find(name)->second.bytes)));

    if (arguments.json) {
        Json json{{"program", arguments.program.path},
                  {"entry", program->entry()},
                  {"fingerprint", to_string(program->fingerprint())},
                  {"devices", arguments.devices},
                  {"cut", ticket.work().is_cut},
                  {"bytes_sent", ticket.work().bytes_sent},
                  {"wall_ns", wall_ns},
                  {"outputs", outputs_json(*program, host, outputs)}};
        if (arguments.explain) json["plan"] = plan;
        print_json(json);
        return {};
    }
    if (arguments.quiet) return {};
    complain(fmt::format("{} on {}, {}\n  time   {}\n{}", program->entry(),
                         fmt::join(arguments.devices, " and "), arguments.routing.fast ? "fast" : "exact",
                         human_time(wall_ns), outputs_text(*program, host, outputs)));
    if (arguments.explain) complain(fmt::format("\n{}\n", plan));
    return {};
}

}  // namespace muster::cli
