#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/sanitize/fix.hpp>
#include <muster/foundation/sanitize/sample.hpp>
#include <muster/foundation/sanitize/sanitize.hpp>
#include <muster/foundation/validate/non_uniform.hpp>

namespace muster {
namespace {

constexpr std::uint64_t sampled_invocations = 16384;
constexpr std::uint64_t least_default_sample = 16;
// Far more than a program has places; so the findings of each seed are complete before they are merged.
constexpr std::uint32_t most_findings_of_run = 100'000;

/// One call of sanitize().
class Sanitizer {
  public:
    Sanitizer(const ValidProgram& program, std::span<const BoundBytes> bindings, const LaunchGrid& grid,
              const SanitizeOptions& options)
        : program_(program), bindings_(bindings), grid_(grid), options_(options) {
        report_.grid = grid.extent;
    }
    Result<SanitizeReport> run() &&;

  private:
    std::uint64_t sample_size() const;
    InterpretOptions options_of(std::size_t run, std::uint64_t workgroups) const;
    Result<void> run_seed(const InterpreterCode& code, std::size_t run);
    void merge(std::vector<Finding> findings, std::uint64_t seed);
    bool is_ignored(FindingKind kind) const {
        return std::ranges::find(options_.ignored, kind) != options_.ignored.end();
    }
    void leave_out_consequences();
    void finish();

    const ValidProgram& program_;
    std::span<const BoundBytes> bindings_;
    const LaunchGrid grid_;
    const SanitizeOptions& options_;
    SanitizeReport report_;
    std::unordered_set<std::uint64_t> workgroups_;  // linear ids of those in samples
    std::map<std::string, std::size_t> known_;      // key_of() to the position among the report's findings
};

Result<SanitizeReport> Sanitizer::run() && {
    if (options_.seeds.empty())
        return fail(ErrorCode::invalid_argument, "No seed is given.", "give at least one.");
    if (options_.sample != 0 && options_.sample < least_sample)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("A sample of {} workgroups has no room for the first and the last one with their "
                        "neighbours.",
                        options_.sample),
            fmt::format("sample at least {} workgroups.", least_sample));
    const InterpreterCode code = TRY(InterpreterCode::compile(
        program_,
        {.findings = true,
         .flush_subnormals = false,
         .subgroup_size = options_.subgroup_size != 0 ? options_.subgroup_size : default_subgroup_size}));
    for (std::size_t run = 0; run < options_.seeds.size(); ++run) {
        TRY(run_seed(code, run));
        if (!report_.runs.back().ended) break;
    }
    finish();
    return std::move(report_);
}

std::uint64_t Sanitizer::sample_size() const {
    const std::uint64_t all = report_.grid.count();
    if (has_grid_barriers(*program_)) return all;
    if (options_.sample != 0) return std::min(options_.sample, all);
    return std::min(all,
                    std::max(least_default_sample, sampled_invocations / program_->workgroup_size().count()));
}

InterpretOptions Sanitizer::options_of(std::size_t run, std::uint64_t workgroups) const {
    InterpretOptions options{.seed = options_.seeds[run],
                             .threads = 1,
                             .report_races = !is_ignored(FindingKind::data_race),
                             .report_reads_before_write = !is_ignored(FindingKind::read_before_write),
                             .report_out_of_bounds = !is_ignored(FindingKind::out_of_bounds),
                             .report_subgroups = !is_ignored(FindingKind::divergent_subgroup) ||
                                                 !is_ignored(FindingKind::inactive_invocation),
                             .report_step_limit = true,
                             .max_findings = most_findings_of_run,
                             .subgroup_size = options_.subgroup_size,
                             .stop = options_.stop};
    (has_grid_barriers(*program_) ? options.max_steps : options.max_workgroup_steps) = options_.max_steps;
    options.max_steps = std::min(options.max_steps, options_.max_run_steps);
    if (options_.progress)
        options.progress = [this, run, workgroups](std::uint64_t begun) {
            options_.progress({run, options_.seeds.size(), begun, workgroups});
        };
    return options;
}

Result<void> Sanitizer::run_seed(const InterpreterCode& code, std::size_t run) {
    const std::uint64_t seed = options_.seeds[run], workgroups = sample_size();
    std::vector<Extent3> sample;
    const Extent3 &extent = grid_.extent, &origin = grid_.origin;
    if (workgroups < extent.count()) sample = sample_workgroups(extent, workgroups, seed);
    for (Extent3& id : sample) {
        workgroups_.insert((std::uint64_t{id.z} * extent.y + id.y) * extent.x + id.x);
        id = {origin.x + id.x, origin.y + id.y, origin.z + id.z};
    }

    std::vector<std::vector<std::byte>> memory;
    std::vector<BoundBytes> bindings;
    for (const BoundBytes& bound : bindings_) {
        auto& copy = memory.emplace_back(bound.bytes.begin(), bound.bytes.end());
        bindings.push_back({copy, bound.has_data});
    }
    InterpretReport report = TRY(interpret(code, bindings, {origin, extent, grid_.grid, sample, grid_.guard},
                                           options_of(run, workgroups)));
    const bool ended = std::ranges::none_of(
        report.findings, [](const Finding& each) { return each.kind == FindingKind::step_limit; });
    report_.runs.push_back({seed, workgroups, report.steps, ended});
    merge(std::move(report.findings), seed);
    return {};
}

void Sanitizer::merge(std::vector<Finding> findings, std::uint64_t seed) {
    for (Finding& each : findings) {
        if (is_ignored(each.kind)) continue;
        const auto [known, is_new] = known_.try_emplace(key_of(each), report_.findings.size());
        if (is_new) {
            report_.findings.push_back({std::move(each), {seed}, {}});
            continue;
        }
        SanitizeFinding& merged = report_.findings[known->second];
        merged.finding.times += each.times;
        merged.finding.between_workgroups |= each.between_workgroups;
        if (merged.seeds.back() != seed) merged.seeds.push_back(seed);
    }
}

// A read that races with a write comes before or after it by chance: then only the race is reported.
void Sanitizer::leave_out_consequences() {
    std::set<SourceLocation> racing;
    for (const SanitizeFinding& each : report_.findings) {
        const Finding& found = each.finding;
        if (found.kind != FindingKind::data_race) continue;
        if (found.access == AccessKind::read) racing.insert(found.where);
        if (found.other_access == AccessKind::read) racing.insert(*found.other_where);
    }
    std::erase_if(report_.findings, [&](const SanitizeFinding& each) {
        return each.finding.kind == FindingKind::read_before_write && each.finding.where.line != 0 &&
               racing.contains(each.finding.where);
    });
}

void Sanitizer::finish() {
    leave_out_consequences();
    report_.workgroups = workgroups_.empty() ? report_.grid.count() : workgroups_.size();
    auto& findings = report_.findings;
    for (SanitizeFinding& each : findings) each.fix = fix_of(each.finding, report_.is_sample());
    std::ranges::sort(findings, {}, [](const SanitizeFinding& each) {
        return std::tuple(each.finding.where, each.finding.kind, each.finding.other_where,
                          each.finding.message);
    });
    if (findings.size() <= options_.max_findings) return;
    report_.findings_left_out = findings.size() - options_.max_findings;
    findings.resize(options_.max_findings);
}

}  // namespace

// Places without a location are distinguished by what they access.
std::string key_of(const Finding& finding) {
    const SourceLocation other = finding.other_where.value_or(finding.where);
    const auto [first, second] = std::minmax(finding.where, other);
    return fmt::format("{} {}:{}:{} {}:{}:{} {}", name(finding.kind), first.file, first.line, first.column,
                       second.file, second.line, second.column,
                       first.line == 0 ? finding.variable : std::string());
}

Result<SanitizeReport> sanitize(const ValidProgram& program, std::span<const BoundBytes> bindings,
                                Extent3 grid, const SanitizeOptions& options) {
    return sanitize_part(program, bindings, {.extent = grid, .grid = grid}, options);
}

Result<SanitizeReport> sanitize_part(const ValidProgram& program, std::span<const BoundBytes> bindings,
                                     const LaunchGrid& grid, const SanitizeOptions& options) {
    return Sanitizer(program, bindings, grid, options).run();
}

SanitizeReport sanitize_invalid(const Program& program) {
    return sanitize_invalid(find_non_uniform(program));
}

SanitizeReport sanitize_invalid(std::span<const NonUniform> faults) {
    SanitizeReport report;
    for (const NonUniform& each : faults) {
        Finding finding;
        finding.kind = each.is_barrier ? FindingKind::non_uniform_barrier : FindingKind::divergent_subgroup;
        finding.where = each.what.where;
        if (each.branch.line != 0) finding.other_where = each.branch;
        finding.message = each.what.message;
        report.findings.push_back({std::move(finding), {}, each.what.fix});
    }
    return report;
}

}  // namespace muster
