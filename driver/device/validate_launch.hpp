// validate_launch.hpp - gives a launch's program and memory to its device's validator, before the launch is
// submitted. Internal to driver/.
//
// A session validates, and no Device does: a device sees the code of a program that was expanded or cut into
// parts, or that came from the disk, and not the program that its author wrote.
#pragma once

#include <muster/driver/device/launches.hpp>
#include <muster/driver/device/ticket_state.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// Checks a launch if that is due; first waits for the dispatches that use its buffers, and copies these
/// to the host. Precondition: the device has a validator, the launch a program; its buffers are locked
/// and on the device; `ticket` has the parts of the steps before it. Errors: those of Validator::check,
/// of waiting and of reading.
Result<void> validate_launch(DeviceContext& device, const BoundLaunch& launch, Ticket::State& ticket);

}  // namespace muster
