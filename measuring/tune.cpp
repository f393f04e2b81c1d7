#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/measuring/devices.hpp>
#include <muster/measuring/tune.hpp>

namespace muster::bench {
namespace {

constexpr int turns = 5;  // in which the fastest is timed against the defaults

using Bytes = std::vector<std::byte>;

/// A program with its data on a device.
struct Tried {
    Session session;
    Kernel kernel;
    std::map<std::string, Buffer> buffers;
    std::vector<Argument> arguments;
};

class Tuner {
  public:
    Tuner(const Options& options, const TuneJob& job, const Candidate& device)
        : options_(options), job_(job), device_(device) {}

    Result<TunedDevice> run(const std::vector<Overrides>& combinations,
                            const std::function<void(std::size_t)>& starts);

  private:
    Result<Tried> prepared(const Overrides& overrides) const;
    Result<void> run_once(Tried& tried) const { return run_times(tried, 1); }
    Result<void> run_times(Tried& tried, std::uint32_t times) const;
    Result<std::map<std::string, Bytes>> results(Tried& tried) const;
    std::string difference(const Program& program, const std::map<std::string, Bytes>& results) const;
    Result<Times> timed(Tried& tried, std::chrono::nanoseconds time) const;
    Trial trial(const Overrides& overrides);
    Result<double> gain_over_defaults(const Overrides& overrides) const;

    const Options& options_;
    const TuneJob& job_;
    const Candidate& device_;
    std::map<std::string, Bytes> expected_;  // the defaults' results
};

Result<Tried> Tuner::prepared(const Overrides& overrides) const {
    const ValidProgram program = TRY(job_.program(overrides));
    Session session = TRY(session_on(options_, device_));
    const Kernel kernel = TRY(session.prepare(program, {.precision = options_.precision}));
    Tried tried{std::move(session), kernel, {}, {}};
    for (const VariableId id : program->bindings()) {
        const Variable& variable = program->variable(id);
        const Bytes& bytes = job_.bindings.at(variable.name);
        if (variable.space == AddressSpace::uniform) {
            tried.arguments.emplace_back(variable.name,
                                         ArgumentValue{InlineVector<std::byte, 64>(bytes), {}});
            continue;
        }
        const Buffer buffer = TRY(tried.session.buffer_from(bytes));
        tried.buffers.emplace(variable.name, buffer);
        tried.arguments.emplace_back(variable.name, buffer);
    }
    return tried;
}

Result<void> Tuner::run_times(Tried& tried, std::uint32_t times) const {
    std::optional<Ticket> last;
    for (std::uint32_t i = 0; i < times; ++i)
        last = TRY(tried.session.dispatch(tried.kernel, tried.arguments, job_.grid));
    return kernels::wait_or_abandon(*last, options_.timeout);
}

Result<std::map<std::string, Bytes>> Tuner::results(Tried& tried) const {
    std::map<std::string, Bytes> all;
    for (auto& [name, buffer] : tried.buffers) {
        Bytes bytes(buffer.bytes());
        TRY(buffer.read_bytes(bytes));
        all.emplace(name, std::move(bytes));
    }
    return all;
}

/// The first float that is further from the expected one than `tolerance` times the
/// largest; none if there is none.
std::optional<std::size_t> first_beyond(std::span<const float> expected, std::span<const float> actual,
                                        double tolerance) {
    double largest = 0;
    for (const float x : expected)
        if (std::isfinite(x)) largest = std::max(largest, std::fabs(static_cast<double>(x)));
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const bool same_bits =
            std::bit_cast<std::uint32_t>(expected[i]) == std::bit_cast<std::uint32_t>(actual[i]);
        if (!same_bits && !(std::fabs(double{expected[i]} - double{actual[i]}) <= tolerance * largest))
            return i;
    }
    return std::nullopt;
}

std::vector<float> floats_of(const Bytes& bytes) {
    std::vector<float> floats(bytes.size() / sizeof(float));
    std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
    return floats;
}

/// The first result that isn't the defaults', or "".
std::string Tuner::difference(const Program& program, const std::map<std::string, Bytes>& results) const {
    for (const VariableId id : program.bindings()) {
        const Variable& variable = program.variable(id);
        const auto found = results.find(variable.name);
        if (found == results.end() || found->second == expected_.at(variable.name)) continue;
        const auto scalar = sole_scalar(program.types(), variable.type);
        if (scalar != Scalar::f32) return fmt::format("{} differs from that of the defaults", variable.name);
        const std::vector<float> expected = floats_of(expected_.at(variable.name)),
                                 actual = floats_of(found->second);
        if (const auto i = first_beyond(expected, actual, job_.tolerance))
            return fmt::format("{}[{}] is {}, and {} with the defaults", variable.name, *i, actual[*i],
                               expected[*i]);
    }
    return "";
}

Result<Times> Tuner::timed(Tried& tried, std::chrono::nanoseconds time) const {
    return time_runs([&](std::uint32_t count) { return run_times(tried, count); }, time);
}

Trial Tuner::trial(const Overrides& overrides) {
    Trial trial{.overrides = overrides};
    const auto failed = [&](const Error& error) {
        trial.outcome = outcome_of(error);
        trial.text = error.to_string();
        return trial;
    };
    auto tried = prepared(overrides);
    if (!tried) return failed(tried.error());
    if (const auto ran = run_once(*tried); !ran) return failed(ran.error());
    auto got = results(*tried);
    if (!got) return failed(got.error());
    if (expected_.empty())
        expected_ = *std::move(got);
    else
        trial.text = difference(*tried->kernel.program(), *got);
    if (!trial.text.empty()) {
        trial.outcome = Outcome::wrong_result;
        return trial;
    }
    const auto times = timed(*tried, options_.time);
    if (!times) return failed(times.error());
    trial.times = *times;
    return trial;
}

/// How many times as fast as the defaults these overrides are: the median of some turns.
Result<double> Tuner::gain_over_defaults(const Overrides& overrides) const {
    Tried plain = TRY(prepared({})), tuned = TRY(prepared(overrides));
    std::vector<double> ratios;
    for (int turn = 0; turn < turns; ++turn) {
        const Times before = TRY(timed(plain, options_.time / turns));
        const Times after = TRY(timed(tuned, options_.time / turns));
        ratios.push_back(static_cast<double>(before.p50_ns) / static_cast<double>(after.p50_ns));
    }
    std::ranges::sort(ratios);
    return ratios[turns / 2];
}

Result<TunedDevice> Tuner::run(const std::vector<Overrides>& combinations,
                               const std::function<void(std::size_t)>& starts) {
    TunedDevice device{.id = device_.id(), .backend = device_.backend, .info = device_.device, .trials = {}};
    for (const Overrides& overrides : combinations) {
        starts(device.trials.size());
        device.trials.push_back(trial(overrides));
        const Trial& last = device.trials.back();
        if (device.trials.size() == 1 && last.outcome != Outcome::measured)
            return fail(
                ErrorCode::refused,
                fmt::format("The program with its defaults can't be timed on {}: {}", device.id, last.text),
                "give defaults that run there, or tune for another device (--backend)");
        if (last.outcome == Outcome::measured && last.times.p50_ns < device.trials[device.best].times.p50_ns)
            device.best = device.trials.size() - 1;
    }
    if (device.best == 0) return device;
    device.gain = TRY(gain_over_defaults(device.trials[device.best].overrides));
    if (device.gain < least_gain)
        device = {device.id, device.backend, device.info, std::move(device.trials), 0, 1};
    return device;
}

/// The defaults, and every combination of the values.
Result<std::vector<Overrides>> combinations_of(const std::vector<TuneAxis>& axes) {
    if (axes.empty() || std::ranges::any_of(axes, [](const TuneAxis& axis) { return axis.values.empty(); }))
        return fail(ErrorCode::invalid_argument, "There is nothing to try: no override has several values.",
                    "give an override values to try, such as --override tile=8,16,32");
    std::vector<Overrides> all{{}};
    for (const TuneAxis& axis : axes) {
        std::vector<Overrides> longer;
        for (const Overrides& begun : all)
            for (const std::string& value : axis.values) {
                longer.push_back(begun);
                longer.back().push_back({axis.name, value});
            }
        if (longer.size() > most_trials)
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("There are more than {} combinations to try.", most_trials),
                        "give fewer values");
        all = std::move(longer);
    }
    all.insert(all.begin(), Overrides{});
    return all;
}

}  // namespace

Result<std::vector<TunedDevice>> tune(const Options& options, const TuneJob& job,
                                      const std::function<void(const Progress&)>& progress) {
    const std::vector<Overrides> combinations = TRY(combinations_of(job.axes));
    Session session = TRY(Session::open(options.session));
    std::vector<TunedDevice> devices;
    for (const Candidate& device : TRY(devices_of(session))) {
        const auto starts = [&](std::size_t done) {
            if (progress) progress({device.id(), text_of(combinations[done]), done, combinations.size()});
        };
        devices.push_back(TRY(Tuner(options, job, device).run(combinations, starts)));
    }
    return devices;
}

std::string text_of(const Overrides& overrides) {
    std::vector<std::string> all;
    for (const wgsl::OverrideValue& each : overrides)
        all.push_back(fmt::format("{}={}", each.name, each.text));
    return all.empty() ? "the defaults" : fmt::format("{}", fmt::join(all, " "));
}

}  // namespace muster::bench
