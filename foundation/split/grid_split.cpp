#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <muster/foundation/analysis/overwritten.hpp>
#include <muster/foundation/analysis/writing_workgroups.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/split/part_builder.hpp>
#include <muster/foundation/split/plan.hpp>
#include <muster/foundation/split/uses.hpp>

namespace muster {
namespace {

using namespace split;

/// The workgroup variable with that name, if there is exactly one.
std::optional<VariableId> workgroup_variable(const Program& program, const std::string& name) {
    std::optional<VariableId> found;
    for (std::uint32_t i = 0; i < program.variables().size(); ++i) {
        const Variable& variable = program.variables()[i];
        if (variable.space != AddressSpace::workgroup || variable.name != name) continue;
        if (found) return std::nullopt;
        found = VariableId{i};
    }
    return found;
}

/// True if the part that the plan makes so far overwrites the workgroup variable before reading it.
Result<bool> overwrites_first(const PartSource& source, std::uint32_t segment, VariableId variable) {
    const std::string& name = source.program.variable(variable).name;
    if (!workgroup_variable(source.program, name)) return false;
    const Program part = TRY(build_part(source, segment, 1));
    const std::optional<VariableId> found = workgroup_variable(part, name);
    return found && is_overwritten_first(part, *found);
}

/// The uniforms and unchanging storage that steps load from.
std::vector<std::uint32_t> host_reads(const Program& program, const HostValues& host,
                                      const Schedule& schedule) {
    std::vector<bool> seen(program.node_count());
    std::vector<std::uint32_t> found;
    const auto see = [&](const auto& self, NodeId value) -> void {
        if (seen[value.index]) return;
        seen[value.index] = true;
        for_each_value(program, value, [&](NodeId operand) { self(self, operand); });
        if (program.node(value).op != Op::load || host.is_hosted_load(value)) return;
        const VariableId variable = accessed(program, value);
        const auto at = std::ranges::find(program.bindings(), variable) - program.bindings().begin();
        if (std::ranges::find(found, at) == found.end()) found.push_back(static_cast<std::uint32_t>(at));
    };
    for (const HostStep& step : schedule.steps) {
        using Kind = HostStep::Kind;
        if (!step.node || step.kind == Kind::evaluate || step.kind == Kind::fetch) continue;
        const auto evaluate = [&](NodeId value) {
            if (host.can_evaluate(value)) see(see, value);
        };
        if (step.kind == Kind::read)
            for_each_value(program, step.node, evaluate);
        else
            evaluate(step.node);
    }
    return found;
}

class Splitter {
  public:
    Splitter(const Program& program, FloatResults floats)
        : split_{.program = program}, host_flow_(split_.program), floats_(floats) {}

    Result<SplitProgram> run() && {
        const Program& program = split_.program;
        HostValues host(program, host_flow_, floats_);
        if (host_flow_.walk_to_returns([&](NodeId value) { return host.can_evaluate(value); }))
            host = HostValues(program, host_flow_, floats_);
        const auto decides = [&](NodeId value) { return host.can_evaluate(value); };
        const auto is_free = [&](NodeId node) {
            const Op op = program.node(node).op;
            if (is_grid_uniform_load(program, node) || host.is_hosted_access(node)) return true;
            return op == Op::load ? host.can_evaluate(node) : info(op).pure;
        };
        if (host_flow_.walk_lone_branches(decides, is_free)) host = HostValues(program, host_flow_, floats_);
        const Schedule schedule = TRY(make_schedule(program, host_flow_, host));
        const auto ask = [&](const Plan& plan, std::uint32_t segment, VariableId variable) {
            return overwrites_first({program, host_flow_, host, schedule, plan}, segment, variable);
        };
        const Plan plan = TRY(make_plan(program, host_flow_, host, schedule, floats_, ask));
        TRY(make_parts({program, host_flow_, host, schedule, plan}));
        take_steps(schedule);
        split_.loops = schedule.loops;
        number_walked_nodes();
        split_.host_reads = host_reads(program, host, schedule);
        split_.invocation_words = plan.invocation_words;
        split_.workgroup_words = plan.workgroup_words;
        split_.waits = std::ranges::any_of(split_.steps, [](const HostStep& step) {
            return step.kind == HostStep::Kind::read || (step.kind == HostStep::Kind::fetch && step.node);
        });
        return std::move(split_);
    }

  private:
    Result<void> make_parts(const PartSource& source) {
        for (std::uint32_t s = 0; s < source.plan.parts.size(); ++s) {
            number_.push_back(static_cast<std::uint32_t>(split_.parts.size()));
            if (!source.plan.parts[s].is_part) continue;
            const Program built = TRY(build_part(source, s, number_.back() + 1));
            auto valid = validate(built);
            if (!valid) return std::unexpected(unsplittable(std::move(valid).error()));
            std::vector<SplitBinding> bindings = bindings_of_part(split_.program, built);
            for (const SplitBinding& one : bindings)
                split_.uses_scratch |= one.source == SplitBinding::Source::scratch;
            split_.liveness_checks += source.schedule.segments[s].is_liveness_check ? 1u : 0u;
            split_.parts.push_back({.program = *std::move(valid),
                                    .bindings = std::move(bindings),
                                    .workgroups = writing_workgroups(built),
                                    .host_values = source.plan.parts[s].leaves});
        }
        return {};
    }

    /// Spilling loses uniformity over a workgroup: validation can't prove it for a restored condition.
    Error unsplittable(Error why) const {
        if (why.code != ErrorCode::invalid_program) return why;
        why.code = ErrorCode::unsupported;
        why.message = fmt::format(
            "The program \"{}\" can't be split at its grid barriers: a workgroup barrier depends on a "
            "condition that "
            "lives across a grid barrier.\n{}",
            split_.program.entry(), why.message);
        why.fix =
            "compute that condition again after the grid barrier, from built-in values and uniforms, or use "
            "a device "
            "that has grid barriers";
        return why;
    }

    void number_walked_nodes() {
        const Program& program = split_.program;
        split_.walked_nodes.assign(program.node_count(), UINT32_MAX);
        const auto number = [&](const auto& self, NodeId node) -> void {
            if (!node || split_.walked_nodes[node.index] != UINT32_MAX) return;
            split_.walked_nodes[node.index] = split_.walked_node_count++;
            for (const NodeId operand : program.operands(node)) self(self, operand);
        };
        for (const HostStep& step : split_.steps) number(number, step.node);
        for (const SplitPart& part : split_.parts)
            for (const NodeId value : part.host_values) number(number, value);
    }

    /// Copies the steps except the runs of segments that do nothing, and adjusts jump targets.
    void take_steps(const Schedule& schedule) {
        std::vector<std::uint32_t> moved(schedule.steps.size() + 1);
        const auto is_kept = [&](const HostStep& step) {
            return step.kind != HostStep::Kind::run || is_part(schedule, step.index);
        };
        for (std::size_t i = 0; i < schedule.steps.size(); ++i)
            moved[i + 1] = moved[i] + (is_kept(schedule.steps[i]) ? 1u : 0u);
        for (HostStep step : schedule.steps) {
            if (!is_kept(step)) continue;
            if (step.kind == HostStep::Kind::run) step.index = number_[step.index];
            step.target = moved[step.target];
            split_.steps.push_back(step);
        }
        split_.cases = schedule.cases;
        for (HostCases& one : split_.cases) {
            one.otherwise = moved[one.otherwise];
            for (HostCase& part : one.cases) part.target = moved[part.target];
        }
    }
    bool is_part(const Schedule& schedule, std::uint32_t segment) const {
        const std::uint32_t next = segment + 1 < schedule.segments.size()
                                       ? number_[segment + 1]
                                       : static_cast<std::uint32_t>(split_.parts.size());
        return next != number_[segment];
    }

    SplitProgram split_;
    HostControlFlow host_flow_;
    FloatResults floats_;
    std::vector<std::uint32_t> number_;  // by segment: its part's number, or the next part's if it has none
};

}  // namespace

Result<SplitProgram> split_at_grid_barriers(const Program& program, FloatResults floats) {
    return Splitter(program, floats).run();
}

Extent3 part_grid(const SplitPart& part, Extent3 workgroups) {
    return {std::min(part.workgroups.x, workgroups.x), std::min(part.workgroups.y, workgroups.y),
            std::min(part.workgroups.z, workgroups.z)};
}

std::uint64_t scratch_words(const SplitProgram& split, Extent3 workgroups) {
    const std::uint64_t per_workgroup =
        split.program.workgroup_size().count() * split.invocation_words + split.workgroup_words;
    std::uint64_t words = per_workgroup;
    for (const std::uint32_t count : {workgroups.x, workgroups.y, workgroups.z})
        if (__builtin_mul_overflow(words, count, &words)) return UINT64_MAX;
    words = std::max<std::uint64_t>(words, 1);  // an array has at least one element
    return __builtin_add_overflow(words, scratch_header_words, &words) ? UINT64_MAX : words;
}

}  // namespace muster
