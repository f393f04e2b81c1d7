#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <muster/driver/device/validate_launch.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/driver/support/deadline.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

DispatchShape shape_of(const DeviceContext& device, const BoundLaunch& launch) {
    const Program& program = **launch.program;
    const CompileOptions options =
        routing::with_subgroup_size(launch.loaded->artifact.options, program, device.info().subgroup_size);
    const GridPart& part = launch.grid.parts.all();
    DispatchShape shape{.program = program.fingerprint(),
                        .grid = launch.grid.groups,
                        .origin = part.origin,
                        .extent = part.extent,
                        .subgroup_size = options.subgroup_size};
    for (const BoundArgument& argument : launch.arguments) {
        const auto* range = std::get_if<BoundRange>(&argument.what);
        shape.bytes.push_back(range ? range->bytes
                                    : std::get<const ArgumentValue*>(argument.what)->bytes.size());
    }
    return shape;
}

/// Waits for the steps of a sequence that come before.
Result<void> wait_for_steps(DeviceContext& device, Ticket::State& ticket) {
    constexpr std::chrono::nanoseconds slice = std::chrono::milliseconds(20);
    const Moment deadline = deadline_after(default_timeout);
    while (!ticket.submissions.empty()) {
        if (auto why = device.lost()) return std::unexpected(*std::move(why));
        const auto ended = ticket.wait_once(slice);
        if (ended || ended.error().code != ErrorCode::timed_out) break;
        if (left_until(deadline) == std::chrono::nanoseconds(0)) return std::unexpected(ended.error());
    }
    return {};
}

/// Waits for the dispatches that use the buffers. How they end is told to those who wait for them.
Result<void> wait_for_buffers(std::span<const BoundArgument> arguments) {
    for (const BoundArgument& argument : arguments) {
        const auto* range = std::get_if<BoundRange>(&argument.what);
        if (!range || !range->buffer->last_use) continue;
        auto ended = range->buffer->last_use->wait(default_timeout);
        if (!ended && ended.error().code == ErrorCode::timed_out)
            return std::unexpected(std::move(ended).error());
    }
    return {};
}

using Copies = std::vector<std::vector<std::byte>>;

Result<Copies> copies_of(DeviceContext& device, const BoundLaunch& launch) {
    Copies copies;
    for (const BoundArgument& argument : launch.arguments) {
        if (const auto* range = std::get_if<BoundRange>(&argument.what)) {
            auto& copy = copies.emplace_back(range->bytes);
            TRY(device.read(range->buffer->memory->memory(), range->offset, copy));
        } else {
            const auto& value = std::get<const ArgumentValue*>(argument.what)->bytes;
            copies.emplace_back(value.begin(), value.end());
        }
    }
    return copies;
}

Result<void> check(DeviceContext& device, const BoundLaunch& launch, Ticket::State& ticket) {
    const DispatchShape shape = shape_of(device, launch);
    const auto seed = device.validator()->due(shape);
    if (!seed) return {};
    TRY(wait_for_steps(device, ticket));
    TRY(wait_for_buffers(launch.arguments));
    Copies copies = TRY(copies_of(device, launch));
    const std::vector<BoundBytes> bindings(copies.begin(), copies.end());
    return device.validator()->check(*launch.program, shape, *seed, bindings, launch.guard);
}

}  // namespace

Result<void> validate_launch(DeviceContext& device, const BoundLaunch& launch, Ticket::State& ticket) {
    return during([&] { return fmt::format("validating a dispatch of {}", (*launch.program)->entry()); },
                  guarded("Validator::check", [&] { return check(device, launch, ticket); }));
}

}  // namespace muster
