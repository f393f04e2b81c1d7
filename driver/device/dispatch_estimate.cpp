#include <algorithm>
#include <vector>

#include <muster/driver/device/buffer_state.hpp>
#include <muster/driver/device/dispatch_estimate.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

std::span<const std::byte> value_of(const BoundArgument& argument) {
    const auto* const value = std::get_if<const ArgumentValue*>(&argument.what);
    return value ? std::span<const std::byte>((*value)->bytes) : std::span<const std::byte>();
}

std::uint64_t size_of(const BoundArgument& argument) {
    const auto* const range = std::get_if<BoundRange>(&argument.what);
    return range ? range->bytes : value_of(argument).size();
}

namespace {

/// The bytes to move before a device can use a buffer, and how many come from another device.
struct Move {
    std::uint64_t bytes = 0;
    std::shared_ptr<ResidentMemory> from = {};  // null: the host
};
Move move_of(Buffer::State& buffer, const std::string& device_id, const DeviceInfo& device) {
    const std::lock_guard lock(buffer.mutex);
    if (buffer.memory && buffer.memory->device().id() == device_id) return {};
    if (buffer.memory) return {buffer.bytes, buffer.has_copy ? nullptr : buffer.memory};
    const bool is_in_place =
        !buffer.callers.empty() && device.kind == DeviceKind::cpu && !device.software_emulated;
    return {buffer.host().empty() || is_in_place ? 0 : buffer.bytes};
}

}  // namespace

Result<Extent3> groups_to_run(const Grid& grid, const Program& program) {
    return TRY(part_to_run(grid, TRY(workgroups(grid, program.workgroup_size())))).extent;
}

DispatchWork work_of(const DispatchToPlace& dispatch) {
    std::vector<KnownBinding> bindings;
    for (const BoundArgument& argument : dispatch.arguments)
        bindings.push_back({size_of(argument), value_of(argument)});
    return dispatch_work(dispatch.program, {dispatch.groups, bindings});
}

Estimate estimate(const DispatchToPlace& dispatch, const DispatchWork& work, const std::string& device_id,
                  const DeviceInfo& device, const Roof& roof, const FromDevice& from_device_gb_s) {
    Estimate made{.run_us = run_us(work, roof), .is_guess = work.is_guess};
    InlineVector<Buffer::State*, usual_bindings> seen;
    for (const BoundArgument& argument : dispatch.arguments) {
        const auto* const range = std::get_if<BoundRange>(&argument.what);
        if (!range || std::ranges::find(seen, range->buffer) != seen.end()) continue;
        seen.push_back(range->buffer);
        const Move move = move_of(*range->buffer, device_id, device);
        if (move.bytes == 0) continue;
        made.move_bytes += move.bytes;
        made.move_us += static_cast<double>(move.bytes) / roof.to_device_gb_s * 1e-3;
        if (!move.from) continue;
        const double rate = from_device_gb_s(move.from->device());
        if (rate > 0) made.move_us += static_cast<double>(move.bytes) / rate * 1e-3;
    }
    return made;
}

}  // namespace muster
