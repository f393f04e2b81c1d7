#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include <muster/cli/report/measure.hpp>
#include <muster/cli/support/progress.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Returns none if the work still runs after the timeout.
Result<std::optional<Timing>> wait(const Ticket& ticket, std::chrono::nanoseconds timeout, Progress& progress,
                                   std::string_view text) {
    constexpr std::chrono::nanoseconds between_reports = std::chrono::milliseconds(200);
    const Clock::time_point start = Clock::now();
    for (;;) {
        const std::chrono::nanoseconds left = timeout - (Clock::now() - start);
        auto timing = ticket.wait(std::clamp(left, std::chrono::nanoseconds(0), between_reports));
        if (timing || timing.error().code != ErrorCode::timed_out) return timing;
        if (left <= between_reports) return std::nullopt;
        progress.show(text);
    }
}

std::unexpected<Error> gave_up(const Kernel& kernel, std::chrono::nanoseconds timeout) {
    return fail(
        ErrorCode::timed_out,
        fmt::format("{} still runs on {} after {}, and is given up.", kernel.program()->entry(),
                    kernel.route().execute()->id(), human_time(static_cast<std::uint64_t>(timeout.count()))),
        "give it more time (--timeout), or less to do");
}

std::uint64_t nanoseconds(Clock::duration duration) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}

}  // namespace

Spread spread_of(std::vector<std::uint64_t> times) {
    std::ranges::sort(times);
    const std::size_t middle = times.size() / 2;
    const std::uint64_t median =
        times.size() % 2 == 1 ? times[middle] : times[middle - 1] + (times[middle] - times[middle - 1]) / 2;
    return {times.front(), median, times.back()};
}

Json to_json(const Spread& spread) {
    return {{"min", spread.min}, {"median", spread.median}, {"max", spread.max}};
}

Attempt<DeviceBuffers> upload(Session& session, const Program& program, const HostBuffers& host) {
    DeviceBuffers buffers;
    for (const auto& [name, buffer] : host) {
        const auto scalar = only_scalar(program.types(), find_binding(program, name)->type);
        buffers.emplace(name, TRY(step(session.buffer_from(buffer.bytes, scalar))));
    }
    return buffers;
}

std::vector<Argument> arguments_of(const Program& program, const HostBuffers& host,
                                   const DeviceBuffers& buffers) {
    std::vector<Argument> arguments;
    for (const auto& [name, buffer] : buffers) {
        if (find_binding(program, name)->space == AddressSpace::uniform)
            arguments.emplace_back(
                name, ArgumentValue{InlineVector<std::byte, 64>(host.find(name)->second.bytes), {}});
        else
            arguments.emplace_back(name, buffer);
    }
    return arguments;
}

Result<Measured> measure(Session& session, const Kernel& kernel, const Grid& grid, const Runs& runs,
                         const HostBuffers& initial, DeviceBuffers& buffers) {
    const Program& program = *kernel.program();
    const std::vector<Argument> arguments = arguments_of(program, initial, buffers);
    Progress progress;
    std::vector<std::uint64_t> wall, device;
    std::int64_t first_end_ns = 0;
    for (std::uint32_t run = 0; run < runs.count; ++run) {
        for (const VariableId id : program.bindings()) {
            const Variable& variable = program.variable(id);
            if (run == 0 || !variable.is_written) continue;
            TRY(buffers.find(variable.name)->second.write_bytes(initial.find(variable.name)->second.bytes));
        }
        const Clock::time_point before = Clock::now();
        const Ticket ticket = TRY(session.dispatch(kernel, arguments, grid));
        const auto timing =
            TRY(wait(ticket, runs.timeout, progress, fmt::format("run {} of {}", run + 1, runs.count)));
        if (!timing) {
            ticket.abandon();
            return gave_up(kernel, runs.timeout);
        }
        const Clock::time_point after = Clock::now();
        wall.push_back(nanoseconds(after - before));
        if (timing->device_ns) device.push_back(*timing->device_ns);
        if (run == 0) first_end_ns = static_cast<std::int64_t>(nanoseconds(after.time_since_epoch()));
    }
    std::optional<Spread> on_device;
    if (!device.empty()) on_device = spread_of(std::move(device));
    return Measured{spread_of(std::move(wall)), on_device, first_end_ns};
}

}  // namespace muster::cli
