#include <algorithm>
#include <sstream>

#include <muster/conformance/reduce.hpp>
#include <muster/conformance/smallest.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::conformance {
namespace {

/// A case's text in two: its leading comments, and the kernel.
struct Parts {
    std::vector<std::string> head;  // lines, without their ends
    std::string kernel;
};

Parts parts_of(const std::string& text) {
    Parts parts;
    std::size_t at = 0;
    while (text.compare(at, 3, "// ") == 0) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        parts.head.push_back(text.substr(at, end - at));
        at = std::min(end + 1, text.size());
    }
    parts.kernel = text.substr(at);
    return parts;
}

/// The results of a program that are the same in any order of invocations; none if the program has a race,
/// runs for long, or its results depend on the order, or on invocations of a subgroup that don't take part.
std::optional<Outputs> defined_results(const Case& test, const ValidProgram& program,
                                       std::uint32_t subgroup_size) {
    InterpretOptions options{.seed = 1,
                             .report_races = true,
                             .report_subgroups = true,
                             .subgroup_size = subgroup_size,
                             .max_steps = 50'000'000};
    auto first = run_interpreted(test, program, options);
    if (!first || !first->report.findings.empty()) return {};
    options.report_races = options.report_subgroups = false;
    for (const std::uint64_t seed : {2u, 3u}) {
        options.seed = seed;
        const auto again = run_interpreted(test, program, options);
        if (!again || !first_difference(*program, first->outputs, again->outputs, false).empty()) return {};
    }
    return std::move(first->outputs);
}

/// The case with the directives that the program uses, and no expectations.
std::string with_head(const std::vector<std::string>& head, const std::string& kernel,
                      const Program& program) {
    std::string text;
    for (const std::string& line : head) {
        std::istringstream words(line);
        std::string comment, verb, name;
        words >> comment >> verb >> name;
        if (verb == "expect") continue;
        const auto has_name = [&](VariableId id) { return program.variable(id).name == name; };
        if (verb == "bind" && std::ranges::none_of(program.bindings(), has_name)) continue;
        text += line + "\n";
    }
    return text + kernel.substr(std::min(kernel.find_first_not_of(" \n"), kernel.size()));
}

}  // namespace

SmallKernel smallest_kernel(Trials& trials, const Case& test, const Trial& fault,
                            std::chrono::steady_clock::time_point deadline) {
    if (fault.fault != Fault::wrong_result && fault.fault != Fault::error) return {};
    const Parts parts = parts_of(test.text);
    const DeviceInfo& device = trials.device();
    const std::uint32_t subgroup_size = device.subgroup_sizes.most == 0 ? 0 : device.subgroup_size;
    SmallKernel smallest;
    bool is_stuck = false;
    const auto shows_it = [&](const std::string& kernel) {
        if (is_stuck) return false;
        Case candidate = test;
        candidate.text = kernel;
        const auto program = candidate.program();
        if (!program) return false;
        const auto expected = defined_results(candidate, *program, subgroup_size);
        if (!expected) return false;
        const Trial trial = trials.compare(candidate, *program, *expected);
        is_stuck = trial.fault == Fault::timed_out;  // each would cost its whole time limit
        if (trial.fault != fault.fault || trial.code != fault.code) return false;
        smallest = {with_head(parts.head, kernel, **program), trial.text};
        return true;
    };
    (void)reduce(parts.kernel, shows_it, deadline);
    return smallest;
}

}  // namespace muster::conformance
