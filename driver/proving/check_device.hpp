// check_device.hpp - runs the check kernels on a device and compares their results with the interpreter's.
//
//     const DeviceCheck check = check_device(backend, 0);
//     if (check.fails()) std::puts(check.failure.c_str());   // The kernel "atomics" gives 41, not 64, as word 3 of its output.
//
// A kernel that the device doesn't fit (fit.hpp) is left out. One that hasn't ended in time fails, its device
// is abandoned, and what it uses is never freed. Internal to driver/ and muster-probe. Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <muster/driver/helper/verdicts.hpp>
#include <muster/driver/probing/device_check.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster::proving {

/// Opens the device and checks it, whatever it does short of ending the process or never returning. A
/// kernel may take `most_time`.
MUSTER_API DeviceCheck check_device(Backend& backend, std::uint32_t ordinal,
                                    std::chrono::nanoseconds most_time = std::chrono::seconds(10));

/// The checker with these kernels, whose verdicts are kept in `verdicts`.
std::shared_ptr<const DeviceChecker> device_checker(const Verdicts& verdicts = Verdicts::process());

/// The checker of the process's fleets; null in a program that links muster::runtime, which has neither front
/// end nor interpreter (runtime/proving.cpp).
std::shared_ptr<const DeviceChecker> process_device_checker();

}  // namespace muster::proving
