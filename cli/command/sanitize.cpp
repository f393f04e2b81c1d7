#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/input/grid_argument.hpp>
#include <muster/cli/input/program_file.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/report/sanitize_report.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cli/support/progress.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster::cli {
namespace {

struct SanitizeArguments {
    ProgramArguments program;
    InputArguments input;
    std::vector<std::string> no_data;  // names of bindings
    std::vector<std::uint64_t> seed;   // empty: the first `seeds` numbers
    std::uint32_t seeds = 4;
    std::string sample;               // a number, or all; empty: the default
    std::vector<std::string> ignore;  // kinds of findings
    std::uint32_t max_findings = 100;
    std::uint64_t max_steps = 0;  // 0: the default
    std::uint32_t subgroup_size = 0;
    bool json = false;
};

Result<std::uint64_t> parse_sample(const std::string& text) {
    if (text.empty()) return 0;
    if (text == "all") return SanitizeOptions::all;
    if (const auto count = number_in<std::uint64_t>(text); count.value_or(0) != 0) return *count;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--sample is given \"{}\", which isn't a number.", text),
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
                fmt::format("--ignore is given \"{}\", which isn't a kind of finding that can be ignored.",
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
                fmt::format("--no-data names \"{}\", which isn't a binding of {}.", name, program.entry()));
    std::vector<BoundBytes> bound;
    for (const VariableId id : program.bindings()) {
        const std::string& name = program.variable(id).name;
        bound.push_back(
            {buffers.find(name)->second.bytes, std::ranges::find(no_data, name) == no_data.end()});
    }
    return bound;
}

void print(const SanitizeArguments& arguments, const SanitizeOutput& output) {
    arguments.json ? print_json(output.json()) : say(output.text());
}

/// Reports on a program that only non-uniform control flow makes invalid.
Exit report_invalid(const SanitizeArguments& arguments, const Program& program,
                    const SanitizeReport& report) {
    print(arguments, {arguments.program.path, program, report, nullptr, arguments.subgroup_size});
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

void declare(Options& options, SanitizeArguments& to) {
    static const std::string max_steps =
        fmt::format("The steps of a workgroup after which a loop counts as endless. Default {}",
                    SanitizeOptions{}.max_steps);
    add_program(options, to.program, program_kinds);
    add_input(options, to.input);
    options.list(to.no_data, "--no-data", "NAME",
                 "This binding begins without data: reading what nothing wrote is a finding");
    options
        .value(to.seeds, "--seeds", "N",
               "Run with so many seeds, 0, 1, 2, ..., each an order of its own. Default 4")
        .within(1u, 100'000u);
    options.values(to.seed, "--seed", "S", "Run with this seed alone; may be repeated").excludes("--seeds");
    options.value(
        to.sample, "--sample", "N",
        "Of a large grid, how many workgroups each seed runs, or all. Default: those of about 16384 "
        "invocations");
    options.value(to.subgroup_size, "--subgroup-size", "N",
                  "The size of subgroups, for a program that asks for none. Default 32");
    options.list(to.ignore, "--ignore", "KIND",
                 "Don't report this kind: data_race, read_before_write, out_of_bounds, divergent_subgroup, "
                 "inactive_invocation");
    options.value(to.max_findings, "--max-findings", "N", "Report at most so many. Default 100")
        .within(1u, 1'000'000u);
    options.value(to.max_steps, "--max-steps", "N", max_steps.c_str())
        .within(std::uint64_t{1}, std::uint64_t{1} << 62);
    add_json(options, to.json);
    options.footer(
        std::string(about_input) +
        "\nExample:\n"
        "  muster sanitize examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:256 --bind y=like:x");
}

Attempt<Exit> perform(const SanitizeArguments& arguments) {
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
    auto [buffers, grid] = TRY(step(Exit::usage, make_input(arguments.input, program)));
    const auto bound = TRY(step(Exit::usage, bound_bytes(program, buffers, arguments.no_data)));

    Progress progress;
    options.progress = [&](const SanitizeProgress& now) {
        progress.show(fmt::format("seed {}, {} of {}: {} of {} workgroups have begun", options.seeds[now.run],
                                  now.run + 1, now.runs, now.begun, now.workgroups));
    };
    const SanitizeReport report = TRY(step(sanitize(*valid, bound, grid.workgroups, options)));
    progress.clear();
    print(arguments, {arguments.program.path, program, report, &grid, subgroup_size_of(program, options)});
    return report.findings.empty() ? Exit::done : Exit::findings;
}

}  // namespace

const Verb verbs::sanitize{
    "sanitize", "Run a program on the interpreter, and report races, bad accesses and endless loops",
    command<SanitizeArguments, declare, perform>};

}  // namespace muster::cli
