#include <algorithm>

#include <fmt/format.h>

#include <muster/cli/command/bench.hpp>
#include <muster/cli/input/grid_argument.hpp>
#include <muster/cli/input/program_file.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cli/support/progress.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/driver/helper/tuned_overrides.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/measuring/tune.hpp>

namespace muster::cli {
namespace {

using bench::Outcome;
using bench::Overrides;
using bench::Trial;
using bench::TunedDevice;

std::unexpected<Error> not_values(const std::string& text) {
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" isn't a list of values.", text),
                "write them as 8,16,24, or as 8..64 for the powers of two from 8 to 64");
}

/// "8..64": 8, 16, 32, 64.
Result<std::vector<std::string>> powers(const std::string& text, std::size_t dots) {
    const auto number = [&](std::string_view part) -> Result<std::uint32_t> {
        const auto value = number_in<std::uint32_t>(part);
        if (value.value_or(0) == 0) return not_values(text);
        return *value;
    };
    const std::uint64_t first = TRY(number(std::string_view(text).substr(0, dots)));
    const std::uint64_t last = TRY(number(std::string_view(text).substr(dots + 2)));
    std::vector<std::string> values;
    for (std::uint64_t value = first; value <= last; value *= 2) values.push_back(std::to_string(value));
    if (values.empty()) return not_values(text);
    return values;
}

Result<std::vector<std::string>> values_of(const std::string& text) {
    if (const std::size_t dots = text.find(".."); dots != text.npos) return powers(text, dots);
    std::vector<std::string> values;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        if (end == begin) return not_values(text);
        values.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return values;
}

/// The overrides that have one value, and those to search.
struct Space {
    Overrides fixed;
    std::vector<bench::TuneAxis> axes;
};
Result<Space> space_of(const BenchArguments& arguments) {
    Space space;
    for (const auto& [name, text] : TRY(split_assignments(arguments.tune.overrides, "--override"))) {
        std::vector<std::string> values = TRY(during("reading --override " + name, values_of(text)));
        if (values.size() == 1)
            space.fixed.push_back({name, values[0]});
        else
            space.axes.push_back({name, std::move(values)});
    }
    return space;
}

/// Errors: not_found (an override that the text doesn't have).
Result<void> check_names(const Space& space, std::string_view text) {
    std::vector<std::string> names;
    for (const wgsl::Override& each : TRY(wgsl::overrides(text))) {
        names.push_back(each.name);
        if (each.id) names.push_back(std::to_string(*each.id));
    }
    for (const bench::TuneAxis& axis : space.axes)
        if (std::ranges::find(names, axis.name) == names.end())
            return fail(
                ErrorCode::not_found,
                fmt::format("The program has no override constant \"{}\" to tune.", axis.name),
                names.empty() ? "declare one: override tile: u32 = 16;" : did_you_mean(axis.name, names));
    return {};
}

Result<double> tolerance_of(const std::string& text) {
    if (const auto value = number_in<double>(text); value.value_or(-1) >= 0) return *value;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--tolerance is given \"{}\", which isn't a number.", text),
                "write a ratio, such as 0.001");
}

Json to_json(const Trial& trial) {
    Json json{{"overrides", Json::object()}, {"outcome", name(trial.outcome)}};
    for (const wgsl::OverrideValue& each : trial.overrides) json["overrides"][each.name] = each.text;
    if (trial.outcome != Outcome::measured) {
        json["text"] = trial.text;
        return json;
    }
    json["p50_ns"] = trial.times.p50_ns;
    json["p95_ns"] = trial.times.p95_ns;
    return json;
}

Json to_json(const std::vector<TunedDevice>& devices) {
    Json json{{"devices", Json::array()}};
    for (const TunedDevice& device : devices) {
        Json& one = json["devices"].emplace_back(
            Json{{"id", device.id}, {"best", device.best}, {"gain", device.gain}, {"trials", Json::array()}});
        for (const Trial& trial : device.trials) one["trials"].push_back(to_json(trial));
    }
    return json;
}

std::string text_of(const TunedDevice& device, bool is_kept) {
    std::string text = fmt::format("{}  {}\n", device.id, device.info.name);
    std::size_t width = 0;
    for (const Trial& trial : device.trials) width = std::max(width, bench::text_of(trial.overrides).size());
    for (const Trial& trial : device.trials) {
        const std::string what =
            trial.outcome == Outcome::measured ? human_time(trial.times.p50_ns)
            : trial.outcome == Outcome::wrong_result
                ? "not timed: " + trial.text
                : fmt::format("{}: {}", name(trial.outcome), trial.text.substr(0, trial.text.find('\n')));
        text += fmt::format("  {:{}}  {}\n", bench::text_of(trial.overrides), width, what);
    }
    if (device.best == 0) return text + "  The defaults stay: nothing is clearly faster.\n";
    return text + fmt::format("  {} is {:.2f} times as fast as the defaults. {}\n",
                              bench::text_of(device.trials[device.best].overrides), device.gain,
                              is_kept ? "Kept for muster run --tuned."
                                      : "Not kept: it was measured with given values of other overrides.");
}

}  // namespace

Attempt<Exit> tune(const BenchArguments& arguments, const bench::Options& options) {
    const Space space = TRY(step(Exit::usage, space_of(arguments)));
    ProgramArguments with_defaults = arguments.tune;
    with_defaults.overrides.clear();
    for (const wgsl::OverrideValue& each : space.fixed)
        with_defaults.overrides.push_back(each.name + "=" + each.text);
    const Bytes bytes = TRY(read_program(with_defaults));
    const std::string text = TRY(text_of(with_defaults, bytes));
    const ValidProgram program = TRY(load_file(with_defaults, bytes)).program;
    TRY(step(Exit::usage, check_names(space, text)));
    const auto [host, grid] = TRY(step(Exit::usage, make_input(arguments.input, *program)));

    bench::TuneJob job{.program = {}, .bindings = {}, .grid = grid.grid, .axes = space.axes};
    if (!arguments.tolerance.empty())
        job.tolerance = TRY(step(Exit::usage, tolerance_of(arguments.tolerance)));
    for (const auto& [name, buffer] : host) job.bindings.emplace(name, buffer.bytes);
    job.program = [&](const Overrides& overrides) -> Result<ValidProgram> {
        wgsl::ParseOptions parsing{
            .file = arguments.tune.path, .entry = arguments.tune.entry, .overrides = space.fixed};
        parsing.overrides.insert(parsing.overrides.end(), overrides.begin(), overrides.end());
        return validate(TRY(wgsl::parse(text, parsing)));
    };

    Progress progress;
    const std::vector<TunedDevice> tuned =
        TRY(step(bench::tune(options, job, [&](const bench::Progress& now) {
            progress.show(fmt::format("{}: {} of {}, {}", now.device, now.done, now.total, now.name));
        })));
    progress.clear();
    // Overrides that are fastest beside given values of others needn't be beside other values.
    const bool is_kept = space.fixed.empty();
    for (const TunedDevice& device : tuned)
        if (is_kept)
            keep_tuned_overrides(text, program->entry(), device.backend, device.info, options.precision,
                                 device.trials[device.best].overrides);
    if (!arguments.json.empty())
        TRY(step(Exit::failed, write_text(arguments.json, json_text(to_json(tuned)))));
    if (arguments.json != "-")
        for (const TunedDevice& device : tuned) say(text_of(device, is_kept));
    return Exit::done;
}

}  // namespace muster::cli
