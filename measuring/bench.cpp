#include <algorithm>
#include <cmath>
#include <expected>
#include <optional>

#include <fmt/format.h>

#include <muster/driver/routing/estimate.hpp>
#include <muster/foundation/base/enum_name.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/measuring/bench.hpp>
#include <muster/measuring/devices.hpp>

namespace muster::bench {
namespace {

struct BenchKernel {
    std::string_view name, whole_kernel;
    std::uint32_t scale;  // of the large data; arrays that are streamed have some 64 MiB
    bool counts_flops = false;
};

constexpr BenchKernel roof_kernels[]{
    {"launch", "launch", 1},
    {"copy", "copy", 4096},
    {"copy_vec4", "copy_vec4", 4096},
    {"update", "update", 4096},
    {"read", "read", 2048},
    {"read_vec4", "read_vec4", 2048},
    {"multiply_add", "multiply_add", 2048, true},
    {"multiply_add_alone", "multiply_add", 1, true},
    {"exchange", "exchange", 512},
};

constexpr BenchKernel bench_kernels[]{
    {"saxpy", "saxpy", 4096},
    {"reduction", "reduce", 4096},
    {"scan", "scan", 4096},
    {"sgemm", "matmul", 12, true},
    {"stencil", "stencil", 64},
    {"histogram", "histogram", 3328},
    {"nbody", "nbody", 64, true},
    {"mandelbrot", "mandelbrot", 16, true},
    {"radix_sort", "radix_sort", 256},
    {"spmv", "spmv", 1024},
    {"softmax", "softmax", 64},
    {"layernorm", "layernorm", 64},
    {"transpose", "transpose", 64},
    {"black_scholes", "black_scholes", 2048},
    {"matvec_q4", "matvec_q4", 32},
};

/// The longest run that large data may take.
constexpr double most_seconds = 1;

/// The reason why a kernel isn't timed.
struct Fault {
    Outcome outcome = Outcome::failed;
    std::string text;
    explicit Fault(const Error& error) : outcome(outcome_of(error)), text(error.to_string()) {}
    Fault(Outcome what, std::string why) : outcome(what), text(std::move(why)) {}
};

/// A kernel whose result on this device is right.
struct Verified {
    kernels::Job job;
    kernels::Loaded loaded;
};
using Verification = std::expected<Verified, Fault>;

/// For time_runs(): makes `once` happen so many times, one after the other.
template <class Once>
auto one_by_one(Once once) {
    return [once = std::move(once)](std::uint32_t count) -> Result<void> {
        for (std::uint32_t i = 0; i < count; ++i) TRY(once());
        return {};
    };
}

/// The measurements of one device.
class Bench {
  public:
    Bench(const Options& options, const Candidate& device) : options_(options), device_(device) {}

    void measure_roof(DeviceReport& report, const std::function<void(std::string_view)>& starts);
    KernelResult measured(const BenchKernel& kernel) { return result_of(kernel, sized(kernel)); }

  private:
    Verification verified(const BenchKernel& kernel, kernels::Job job) const;
    Verification sized(const BenchKernel& kernel) const;
    Result<double> seconds_of_one(Verified& verified) const;
    KernelResult result_of(const BenchKernel& kernel, Verification verification) const;
    Result<void> measure_transfers(Verified& copy);

    const Options& options_;
    const Candidate& device_;
    Roof roof_;
};

Verification Bench::verified(const BenchKernel& kernel, kernels::Job job) const {
    const auto run = [&]() -> Result<kernels::Loaded> {
        const Session session = TRY(session_on(options_, device_));
        kernels::Loaded loaded = TRY(kernels::Loaded::load(
            session, kernels::whole_kernel(kernel.whole_kernel), job, {.precision = options_.precision}));
        TRY(loaded.run(1, options_.timeout));
        return loaded;
    };
    auto loaded = run();
    if (!loaded) return std::unexpected(Fault(loaded.error()));
    const auto arrays = loaded->arrays();
    if (!arrays) return std::unexpected(Fault(arrays.error()));
    if (std::string what = kernels::first_difference(job.expected(), *arrays); !what.empty())
        return std::unexpected(Fault(Outcome::wrong_result, std::move(what)));
    return Verified{std::move(job), *std::move(loaded)};
}

/// The time of a run, without what launching alone takes.
Result<double> Bench::seconds_of_one(Verified& verified) const {
    const auto once = [&] { return verified.loaded.run(1, options_.timeout); };
    const Times times = TRY(time_runs(one_by_one(once), std::chrono::nanoseconds(0)));
    return std::max(0.0, static_cast<double>(times.p50_ns) * 1e-9 - roof_.launch_us * 1e-6);
}

/// The time of a larger job, if it takes longer in proportion to its work.
double predicted(double seconds, const kernels::Work& small, const kernels::Work& large) {
    return seconds * (small.flops > 0 ? large.flops / small.flops : large.bytes / small.bytes);
}

/// The kernel on the data that it is timed on: the large one, or, on the way there, the last
/// that doesn't take too long.
Verification Bench::sized(const BenchKernel& kernel) const {
    const auto make = kernels::whole_kernel(kernel.whole_kernel).make;
    Verification best = verified(kernel, make({.scale = 1}));
    if (!best || options_.small) return best;
    for (std::uint32_t scale = 1; scale < kernel.scale;) {
        const auto seconds = seconds_of_one(*best);
        if (!seconds) return std::unexpected(Fault(seconds.error()));
        // The large data at once, else four times as much as now: small data may not occupy the whole device.
        std::optional<kernels::Job> job;
        for (const std::uint32_t larger : {kernel.scale, std::min(4 * scale, kernel.scale)}) {
            kernels::Job next = make({.scale = larger});
            if (predicted(*seconds, best->job.work, next.work) > most_seconds) continue;
            scale = larger;
            job = std::move(next);
            break;
        }
        if (!job) return best;
        Verification next = verified(kernel, *std::move(job));
        if (!next && next.error().outcome == Outcome::refused) return best;
        if (!next) return next;
        best = std::move(next);
    }
    return best;
}

KernelResult Bench::result_of(const BenchKernel& kernel, Verification verification) const {
    KernelResult result{.name = std::string(kernel.name), .counts_flops = kernel.counts_flops};
    const auto fails = [&](const Fault& fault) {
        result.outcome = fault.outcome;
        result.text = fault.text;
        return result;
    };
    if (!verification) return fails(verification.error());
    kernels::Loaded& loaded = verification->loaded;
    // The roof's launch is one at a time; other kernels follow one another without a wait between.
    const auto times = time_runs(
        [&](std::uint32_t count) -> Result<void> {
            if (kernel.name != "launch") return loaded.run(count, options_.timeout);
            return one_by_one([&] { return loaded.run(1, options_.timeout); })(count);
        },
        options_.time);
    if (!times) return fails(Fault(times.error()));
    result.size = verification->job.size;
    result.work = verification->job.work;
    result.times = *times;
    auto dispatches = loaded.work();
    if (!dispatches) return fails(Fault(dispatches.error()));
    result.dispatches = *std::move(dispatches);
    return result;
}

/// Measures how fast the host fills and reads a buffer that is on the device.
Result<void> Bench::measure_transfers(Verified& copy) {
    Buffer& buffer = copy.loaded.buffer("after");
    std::vector<std::byte> host(buffer.bytes());
    const auto rate = [&](const std::function<Result<void>()>& transfer) -> Result<double> {
        const Times times = TRY(time_runs(one_by_one(transfer), options_.time));
        return static_cast<double>(host.size()) / static_cast<double>(times.p05_ns);
    };
    roof_.from_device_gb_s = TRY(rate([&] { return buffer.read_bytes(host); }));
    roof_.to_device_gb_s = TRY(rate([&] { return buffer.write_bytes(host); }));
    return {};
}

void Bench::measure_roof(DeviceReport& report, const std::function<void(std::string_view)>& starts) {
    for (const BenchKernel& kernel : roof_kernels) {
        starts(kernel.name);
        Verification verification = sized(kernel);
        std::optional<Fault> fault;
        if (verification && kernel.name == "copy")
            if (const auto done = measure_transfers(*verification); !done) fault = Fault(done.error());
        KernelResult& result = report.roof_kernels.emplace_back(
            result_of(kernel, fault ? std::unexpected(*fault) : std::move(verification)));
        if (result.outcome != Outcome::measured) continue;
        const auto p05_ns = static_cast<double>(result.times.p05_ns);
        const double running_ns = std::max(p05_ns - roof_.launch_us * 1e3, p05_ns / 2);
        const double gb_s = result.work.bytes / p05_ns;
        if (kernel.name == "launch") roof_.launch_us = p05_ns * 1e-3;
        if (kernel.name.starts_with("copy")) roof_.copy_gb_s = std::max(roof_.copy_gb_s, gb_s);
        if (kernel.name == "update") roof_.update_gb_s = gb_s;
        if (kernel.name.starts_with("read")) roof_.read_gb_s = std::max(roof_.read_gb_s, gb_s);
        if (kernel.name == "multiply_add") roof_.multiply_add_gflop_s = result.work.flops / p05_ns;
        if (kernel.name == "multiply_add_alone") roof_.lone_gflop_s = result.work.flops / running_ns;
        if (kernel.name == "exchange") roof_.arrivals_g_s = result.dispatches[0].arrivals / running_ns;
    }
    report.roof = roof_;
}

/// The geometric mean, over the kernels, of the time that the roof allows and the time taken.
double typical_share(const DeviceReport& device) {
    double sum = 0;
    int count = 0;
    for (const KernelResult& kernel : device.kernels) {
        if (kernel.outcome != Outcome::measured || !device.roof.is_whole()) continue;
        sum += std::log(estimated_us(kernel, device.roof) * 1e3 / static_cast<double>(kernel.times.p50_ns));
        ++count;
    }
    return count == 0 ? 1 : std::exp(sum / count);
}

Result<std::vector<BenchKernel>> chosen(const std::vector<std::string>& only) {
    const std::vector<std::string> names = kernel_names();
    std::vector<BenchKernel> kernels;
    for (const std::string& name : only)
        if (std::ranges::find(names, name) == names.end())
            return fail(ErrorCode::not_found, fmt::format("There is no kernel \"{}\" to measure.", name),
                        did_you_mean(name, names));
    for (const BenchKernel& kernel : bench_kernels)
        if (only.empty() || std::ranges::find(only, kernel.name) != only.end()) kernels.push_back(kernel);
    return kernels;
}

}  // namespace

std::string_view name(Outcome outcome) { return enum_name(outcome); }

bool Report::has(Outcome outcome) const {
    const auto is = [&](const KernelResult& result) { return result.outcome == outcome; };
    return std::ranges::any_of(devices, [&](const DeviceReport& device) {
        return std::ranges::any_of(device.roof_kernels, is) || std::ranges::any_of(device.kernels, is);
    });
}

double least_seconds(const kernels::Work& work, const Roof& roof) {
    if (roof.bandwidth_gb_s() == 0 || roof.multiply_add_gflop_s == 0) return 0;
    return std::max(work.bytes / roof.bandwidth_gb_s(), work.flops / roof.multiply_add_gflop_s) * 1e-9;
}

double estimated_us(const KernelResult& result, const Roof& roof) {
    double all = 0;
    for (const DispatchWork& work : result.dispatches) all += run_us(work, roof);
    return all;
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const BenchKernel& kernel : bench_kernels) names.emplace_back(kernel.name);
    return names;
}

Result<Report> run(const Options& options, const std::function<void(const Progress&)>& progress) {
    const std::vector<BenchKernel> kernels = TRY(chosen(options.only));
    Session session = TRY(Session::open(options.session));
    Report report{.precision = options.precision};
    for (const Candidate& device : TRY(devices_of(session))) {
        DeviceReport& one = report.devices.emplace_back(
            DeviceReport{.id = device.id(), .backend = device.backend, .info = device.device});
        const std::size_t total = std::size(roof_kernels) + kernels.size();
        const auto starts = [&](std::string_view name) {
            if (progress)
                progress({one.id, std::string(name), one.roof_kernels.size() + one.kernels.size(), total});
        };
        Bench bench(options, device);
        bench.measure_roof(one, starts);
        for (const BenchKernel& kernel : kernels) {
            starts(kernel.name);
            one.kernels.push_back(bench.measured(kernel));
        }
        one.roof.typical_share = typical_share(one);
    }
    return report;
}

}  // namespace muster::bench
