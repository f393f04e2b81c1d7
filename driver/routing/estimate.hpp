// estimate.hpp - how long a dispatch is estimated to take on a device, from its work and
// the device's roof. Pure.
//
// A dispatch takes its launch, and the longer of two times: to move its bytes through the device's memory;
// and to compute, with as many workgroups at a time as there are, and wait at barriers. Ordinary kernels
// attain a share of what the roof allows, which is part of the roof. Data that are elsewhere are moved first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <muster/driver/routing/roof.hpp>
#include <muster/foundation/analysis/dispatch_work.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

struct Estimate {
    double run_us = 0;   // from the dispatch to the end of the wait, with the data in place
    double move_us = 0;  // moving data that are elsewhere
    std::uint64_t move_bytes = 0;
    /// The time that moving earlier would have saved the dispatches so far: it counts against `move_us`.
    double credit_us = 0;
    /// The kernel's own runs on the device took so many times as long as the roof says, and `run_us` counts
    /// it in. 1: none is known.
    double correction = 1;
    bool is_guess = false;  // the work depends on stored data

    double total_us() const { return run_us + std::max(0.0, move_us - credit_us); }
    /// "12.3 us", or "12.3 us, 3.1 us of it to move 65536 bytes there".
    std::string to_string() const;
};

/// The share of the present device's estimate that another one may take at most for a kernel to move there.
inline constexpr double worth_moving = 0.8;
/// The device that finishes first: `current`, unless another one's estimate is worth moving.
/// Precondition: there is an estimate.
std::size_t first_to_finish(std::span<const Estimate> estimates, std::optional<std::size_t> current);

/// How long work takes on a device with this roof. Precondition: roof.is_whole().
double run_us(const DispatchWork& work, const Roof& roof);

MUSTER_API_END
}  // namespace muster
