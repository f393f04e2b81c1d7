#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

#include <muster/cli/command/commands.hpp>
#include <muster/cli/input/grid_argument.hpp>
#include <muster/cli/input/program_file.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/report/sanitize_report.hpp>
#include <muster/cli/support/progress.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster::cli {
namespace {

Result<std::uint64_t> parse_sample(const std::string& text) {
    if (text.empty()) return 0;
    if (text == "all") return SanitizeOptions::all;
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc() && end == text.data() + text.size() && count != 0) return count;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--sample is given \"{}\", which is no number.", text),
                "write a number of workgroups, or all");
}

Result<std::vector<FindingKind>> parse_kinds(const std::vector<std::string>& texts) {
    constexpr std::array kinds{FindingKind::data_race, FindingKind::read_before_write,
                               FindingKind::out_of_bounds, FindingKind::divergent_subgroup,
                               FindingKind::inactive_invocation};
    std::vector<FindingKind> found;
    for (const std::string& text : texts) {
        const auto kind = std::ranges::find(kinds, text, [](FindingKind each) { return name(each); });
        if (kind == kinds.end()) {
            std::vector<std::string> names;
            for (const FindingKind each : kinds) names.emplace_back(name(each));
            return fail(
                ErrorCode::invalid_argument,
                fmt::format("--ignore is given \"{}\", which is no kind of finding that can be ignored.",
                            text),
                did_you_mean(text, names));
        }
        found.push_back(*kind);
    }
    return found;
}

Result<SanitizeOptions> options_of(const SanitizeArguments& arguments) {
    SanitizeOptions options;
    options.seeds = arguments.seed;
    if (options.seeds.empty()) {
        options.seeds.resize(arguments.seeds);
        std::iota(options.seeds.begin(), options.seeds.end(), 0);
    }
    options.sample = TRY(parse_sample(arguments.sample));
    options.subgroup_size = arguments.subgroup_size;
    if (arguments.max_steps != 0) options.max_steps = arguments.max_steps;
    options.max_findings = arguments.max_findings;
    options.ignored = TRY(parse_kinds(arguments.ignore));
    return options;
}

/// The kernel's memory, in the order of its bindings.
Result<std::vector<BoundBytes>> bound_bytes(const Program& program, HostBuffers& buffers,
                                            const std::vector<std::string>& no_data) {
    for (const std::string& name : no_data)
        if (find_binding(program, name) == nullptr)
            return fail(
                ErrorCode::invalid_argument,
                fmt::format("--no-data names \"{}\", which is no binding of {}.", name, program.entry()));
    std::vector<BoundBytes> bound;
    for (const VariableId id : program.bindings()) {
        const std::string& name = program.variable(id).name;
        bound.push_back(
            {buffers.find(name)->second.bytes, std::ranges::find(no_data, name) == no_data.end()});
    }
    return bound;
}

/// Reports on a program that only non-uniform control flow makes invalid.
Exit report_invalid(const SanitizeArguments& arguments, const Program& program,
                    const SanitizeReport& report) {
    SanitizeOutput{arguments, program, report, nullptr, arguments.subgroup_size}.print();
    return Exit::findings;
}

std::uint32_t subgroup_size_of(const Program& program, const SanitizeOptions& options) {
    if (program.needs().subgroup_size != 0) return program.needs().subgroup_size;
    return options.subgroup_size != 0 ? options.subgroup_size : default_subgroup_size;
}

Failure no_sample_with_grid_barriers(const Program& program) {
    return {
        Exit::usage,
        {ErrorCode::invalid_argument,
         fmt::format("{} has grid barriers, at which all workgroups meet: no sample of them can run alone.",
                     program.entry()),
         "leave out --sample, or run a smaller grid",
         {}}};
}

}  // namespace

Attempt<Exit> command_sanitize(const SanitizeArguments& arguments) {
    SanitizeOptions options = TRY(step(Exit::usage, options_of(arguments)));
    const auto [program, faults] = TRY(parse_program(arguments.program));
    if (!faults.empty()) return report_invalid(arguments, program, sanitize_invalid(faults));
    const auto valid = validate(program);
    if (!valid) {
        const SanitizeReport report = sanitize_invalid(program);
        if (report.findings.empty()) return std::unexpected(Failure{Exit::bad_program, valid.error()});
        return report_invalid(arguments, program, report);
    }
    if (options.sample != 0 && options.sample != SanitizeOptions::all && has_grid_barriers(program))
        return std::unexpected(no_sample_with_grid_barriers(program));
    const NamedTexts binds = TRY(step(Exit::usage, split_assignments(arguments.input.binds, "--bind")));
    HostBuffers buffers = TRY(step(Exit::usage, make_buffers(program, binds)));
    const ChosenGrid grid = TRY(step(Exit::usage, choose_grid(arguments.input, program, buffers)));
    const auto bound = TRY(step(Exit::usage, bound_bytes(program, buffers, arguments.no_data)));

    Progress progress;
    options.progress = [&](const SanitizeProgress& now) {
        progress.show(fmt::format("seed {}, {} of {}: {} of {} workgroups have begun", options.seeds[now.run],
                                  now.run + 1, now.runs, now.begun, now.workgroups));
    };
    const SanitizeReport report = TRY(step(sanitize(*valid, bound, grid.workgroups, options)));
    progress.clear();
    SanitizeOutput{arguments, program, report, &grid, subgroup_size_of(program, options)}.print();
    return report.findings.empty() ? Exit::done : Exit::findings;
}

}  // namespace muster::cli
