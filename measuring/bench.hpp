// bench.hpp - measures devices: first the roof, then standard kernels, each verified before it is timed.
//
//     auto report = bench::run({.session = {.policy = {.backends = {{"cpu"}}}}, .only = {"saxpy"}});
//
// A kernel is run once on small data and once on the data that is timed, and compared with its oracle; one
// that is wrong isn't timed. The data stays small if a run of the large data would take over a second, or
// exceeds the device's limits. Each kernel has a session of its own, so that a device that it loses serves
// the next one. Threads: one call at a time per device; progress is called on the caller's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/routing/roof.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/measuring/time_runs.hpp>
#include <muster/measuring/whole_kernels/whole_kernel.hpp>

namespace muster::bench {

struct Options {
    /// The policy, fleet and backends that the devices come from. A policy that names backends or devices
    /// measures each of these, else the first device of each backend without the tags "debug" and
    /// "experimental". A device that doesn't promise exact arithmetic is measured, too.
    SessionOptions session = {};
    std::vector<std::string> only = {};  // names of kernels; none: all
    Precision precision = Precision::exact;
    bool small = false;                                              // only small data
    std::chrono::nanoseconds time = std::chrono::milliseconds(500);  // of each kernel's samples
    std::chrono::nanoseconds timeout = std::chrono::minutes(1);      // of one wait
};

enum class Outcome : std::uint8_t { measured, wrong_result, refused, failed };
std::string_view name(Outcome outcome);

struct KernelResult {
    std::string name;
    Outcome outcome = Outcome::measured;
    std::string text;  // the difference, or the error; empty if measured
    std::string size;  // "4096 x 4096"; this and what follows: if measured
    kernels::Work work;
    bool counts_flops = false;  // the customary rate is GFLOP/s, not GB/s
    Times times;
    std::vector<DispatchWork> dispatches;  // what each dispatch of a run does, as routing estimates it

    double gb_s() const { return work.bytes / static_cast<double>(times.p50_ns); }
    double gflop_s() const { return work.flops / static_cast<double>(times.p50_ns); }
};

struct DeviceReport {
    std::string id;  // "vulkan:0"
    std::string backend;
    DeviceInfo info;
    Roof roof;  // its typical_share is that of `kernels`, or 1 if none is measured
    std::vector<KernelResult> roof_kernels;  // what the roof was measured with
    std::vector<KernelResult> kernels;
};

struct Report {
    Precision precision = Precision::exact;
    std::vector<DeviceReport> devices;  // in rank order
    bool has(Outcome outcome) const;
};

struct Progress {
    std::string device, name;
    std::size_t done = 0, total = 0;
};

/// The least time that work can take, in seconds: the longer of moving its bytes and computing; 0 if
/// the roof isn't measured.
double least_seconds(const kernels::Work& work, const Roof& roof);

/// The time of a run in microseconds, as routing by measurement estimates it (estimate.hpp).
/// Precondition: roof.is_whole().
double estimated_us(const KernelResult& result, const Roof& roof);

/// The kernels' names, in the order in which they are measured.
std::vector<std::string> kernel_names();

/// Errors: invalid_argument (policy, or the environment's), not_found (a kernel), refused (there is no
/// device). What goes wrong on a device is in the report.
Result<Report> run(const Options& options, const std::function<void(const Progress&)>& progress = {});

}  // namespace muster::bench
