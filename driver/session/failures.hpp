// failures.hpp - what follows a fault of a device or its compiler, as Policy::on_failure
// says. Internal to driver/.
//
// With `retry` the session opens the device anew, with `next` it passes the device over: all devices' later
// routes if the device is lost or has no memory left, those of one program if that one doesn't compile.
// Kernels move when they are used next. docs/failures.md is the contract.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include <muster/driver/session/session_state.hpp>

namespace muster {

/// True if the error is a fault that the policy has a say in, and not a mistake of the caller's.
bool is_fault(ErrorCode code);

/// The parts that a kernel is made of.
struct KernelSource {
    ValidProgram program;
    CompileOptions options;
    std::span<const Artifact> codes;  // of an artifact file
};

/// Compiles and loads a kernel on the device that the route has chosen. Errors: those of the device.
Result<std::shared_ptr<const Kernel::State>> load_on(const std::shared_ptr<Session::State>& session,
                                                     const KernelSource& source, Route route,
                                                     std::shared_ptr<DeviceContext> device);

/// Prepares a kernel, and does what the policy says after a fault; `route` is that of its dispatch, if it is
/// known. Errors: those of Session::prepare.
Result<std::shared_ptr<const Kernel::State>> prepare_kernel(const std::shared_ptr<Session::State>& session,
                                                            const KernelSource& source,
                                                            std::optional<Route> route = {});

/// True if the kernel moves after this error of a call: its device is at fault, and the policy says to go on.
bool is_to_move(const Session::State& session, const Kernel::State& kernel, const Error& error);

/// The kernel's next state, on the device that it moves to because of `why`; on the first call it is prepared
/// there. Errors: `why`, with the reason why there is no other device.
Result<std::shared_ptr<const Kernel::State>> move_kernel(const std::shared_ptr<Session::State>& session,
                                                         const Kernel::State& kernel, const Error& why);

}  // namespace muster
