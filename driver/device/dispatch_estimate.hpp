// dispatch_estimate.hpp - what one dispatch does, and how long it is estimated to take
// where. Internal to driver/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <muster/driver/contract/grid.hpp>
#include <muster/driver/device/binding.hpp>
#include <muster/driver/routing/estimate.hpp>

namespace muster {

class DeviceContext;

/// A dispatch as far as it is known before it is routed.
struct DispatchToPlace {
    const Program& program;
    Extent3 groups;  // that it runs
    std::span<const BoundArgument> arguments;
};

/// The workgroups of each axis that a dispatch runs. Errors: those of workgroups() and part_to_run().
Result<Extent3> groups_to_run(const Grid& grid, const Program& program);

DispatchWork work_of(const DispatchToPlace& dispatch);
/// The rate at which a device gives its data back, in 10^9 bytes a second; 0: unknown.
using FromDevice = std::function<double(const DeviceContext& holder)>;
/// The estimate of a dispatch that does this work. Precondition: roof.is_whole().
Estimate estimate(const DispatchToPlace& dispatch, const DispatchWork& work, const std::string& device_id,
                  const DeviceInfo& device, const Roof& roof, const FromDevice& from_device_gb_s);

/// The bytes of a value that is given at dispatch; none of a buffer.
std::span<const std::byte> value_of(const BoundArgument& argument);
std::uint64_t size_of(const BoundArgument& argument);

}  // namespace muster
