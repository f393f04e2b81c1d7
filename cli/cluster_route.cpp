#include <algorithm>

#include <fmt/format.h>

#include <muster/cli/cluster_route.hpp>
#include <muster/cli/grid_argument.hpp>
#include <muster/cli/json.hpp>
#include <muster/cli/spec.hpp>
#include <muster/cluster/plan/explain.hpp>
#include <muster/cluster/plan/planner.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster::cli {
namespace {

using cluster::Plan;
using cluster::PlanBinding;

struct PlannedPhase {
    ValidProgram program;
    std::shared_ptr<const Plan> plan;
};

Json words_json(cluster::WordRange words) { return Json::array({words.begin, words.end}); }

Json plan_json(const PlannedPhase& phase) {
    const Plan& plan = *phase.plan;
    const auto binding = [&](std::uint32_t which) {
        return phase.program->variable(phase.program->bindings()[which]).name;
    };
    Json json{
        {"grid", to_json(plan.grid)}, {"axis", std::string(1, "xyz"[plan.axis])}, {"ranks", Json::array()}};
    for (std::uint32_t rank = 0; rank < plan.parts.size(); ++rank) {
        std::uint64_t sent = 0, received = 0;
        for (const cluster::Transfer& one : plan.transfers) {
            sent += one.from == rank ? 4 * one.words.size() : 0;
            received += one.to == rank ? 4 * one.words.size() : 0;
        }
        const cluster::RankPart& part = plan.parts[rank];
        json["ranks"].push_back({{"workgroups", {part.begin, part.end}},
                                 {"interior", {part.interior_begin, part.interior_end}},
                                 {"bytes_sent", sent},
                                 {"bytes_received", received}});
    }
    json["transfers"] = Json::array();
    for (const cluster::Transfer& one : plan.transfers)
        json["transfers"].push_back({{"from", one.from},
                                     {"to", one.to},
                                     {"binding", binding(one.binding)},
                                     {"words", words_json(one.words)}});
    json["reductions"] = Json::array();
    for (const cluster::Reduction& one : plan.reductions)
        json["reductions"].push_back({{"binding", binding(one.binding)},
                                      {"words", words_json(one.words)},
                                      {"op", name(one.op)},
                                      {"type", info(one.type).name}});
    json["bytes_transferred"] = plan.bytes_transferred;
    json["bytes_reduced"] = plan.bytes_reduced;
    if (plan.one_rank)
        json["one_rank"] = {{"where", plan.one_rank->place},
                            {"message", plan.one_rank->message},
                            {"fix", plan.one_rank->fix}};
    return json;
}

/// True if the part only tells the host whether any invocation is left, now and then in a long loop.
bool is_liveness_check(const SplitProgram& split, std::uint32_t part) {
    for (std::size_t i = 1; i < split.steps.size(); ++i) {
        const HostStep &run = split.steps[i - 1], &fetch = split.steps[i];
        if (run.kind == HostStep::Kind::run && run.index == part && fetch.kind == HostStep::Kind::fetch &&
            !fetch.node)
            return true;
    }
    return false;
}

/// Plans phases one after another, with the buffers as the one before leaves them.
class Phases {
  public:
    Phases(const ValidProgram& program, const HostBuffers& host, Extent3 grid, std::size_t ranks)
        : program_(program), grid_(grid), planner_(std::vector<double>(ranks, 1)) {
        for (const VariableId id : program->bindings()) {
            const Variable& variable = program->variable(id);
            const HostBuffer& buffer = host.find(variable.name)->second;
            PlanBinding made{.bytes = buffer.bytes.size()};
            if (variable.space == AddressSpace::uniform)
                made.value = buffer.bytes;
            else
                made.distribution = in_blocks(buffer);
            bindings_.push_back(made);
        }
    }

    void replicate(std::uint32_t binding) {
        if (bindings_[binding].distribution)
            bindings_[binding].distribution = planner_.replicated(bindings_[binding].bytes / 4);
    }

    Result<std::vector<PlannedPhase>> plan() {
        if (!has_grid_barriers(program_)) return std::vector{TRY(plan_phase(program_, bindings_))};
        const SplitProgram split = TRY(split_at_grid_barriers(program_));
        const std::uint64_t words = scratch_words(split, grid_);
        PlanBinding scratch{.bytes = 4 * words, .distribution = planner_.replicated(words)};
        std::vector<PlannedPhase> planned;
        // In a loop, the second turn is like all later ones.
        for (int turn = 0; turn < (split.loops == 0 ? 1 : 2); ++turn) {
            planned.clear();
            for (std::uint32_t i = 0; i < split.parts.size(); ++i)
                if (!is_liveness_check(split, i)) planned.push_back(TRY(plan_part(split.parts[i], scratch)));
        }
        return planned;
    }

  private:
    cluster::DistributionId in_blocks(const HostBuffer& buffer) {
        const std::uint64_t words = buffer.bytes.size() / 4;
        const std::uint64_t elements =
            buffer.shape.empty() ? words : std::max(buffer.shape[0], std::uint64_t{1});
        return planner_.intern(cluster::sharded(words, words / elements, planner_.weights()));
    }

    Result<PlannedPhase> plan_phase(const ValidProgram& program, std::span<PlanBinding> bindings) {
        auto plan = TRY(planner_.plan(analyse_footprint(program), {.grid = grid_, .bindings = bindings}));
        for (std::size_t i = 0; i < bindings.size(); ++i) bindings[i].distribution = plan->after[i];
        return PlannedPhase{program, std::move(plan)};
    }

    // The words that only a walk knows are left unknown.
    Result<PlannedPhase> plan_part(const SplitPart& part, PlanBinding& scratch) {
        std::vector<PlanBinding> bindings;
        for (std::size_t i = 0; i < part.bindings.size(); ++i) {
            const SplitBinding& from = part.bindings[i];
            const Variable& variable = part.program->variable(part.program->bindings()[i]);
            if (from.source == SplitBinding::Source::program)
                bindings.push_back(bindings_[from.index]);
            else if (from.source == SplitBinding::Source::scratch)
                bindings.push_back(scratch);
            else
                bindings.push_back({.bytes = part.program->types()[variable.type].size});
        }
        PlannedPhase planned = TRY(plan_phase(part.program, bindings));
        for (std::size_t i = 0; i < part.bindings.size(); ++i) {
            const SplitBinding& from = part.bindings[i];
            if (from.source == SplitBinding::Source::program)
                bindings_[from.index].distribution = bindings[i].distribution;
            else if (from.source == SplitBinding::Source::scratch)
                scratch.distribution = bindings[i].distribution;
        }
        return planned;
    }

    ValidProgram program_;
    Extent3 grid_;
    cluster::Planner planner_;
    std::vector<PlanBinding> bindings_;  // of the program
};

Result<void> replicate(Phases& phases, const Program& program, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const auto bindings = program.bindings();
        const auto found =
            std::ranges::find(bindings, name, [&](VariableId id) { return program.variable(id).name; });
        if (found == bindings.end())
            return fail(
                ErrorCode::invalid_argument,
                fmt::format("--replicate names \"{}\", which isn't a binding of {}.", name, program.entry()),
                "name a binding of the program");
        phases.replicate(static_cast<std::uint32_t>(found - bindings.begin()));
    }
    return {};
}

}  // namespace

Attempt<Exit> route_cluster(const RouteArguments& arguments, const ValidProgram& program) {
    const NamedTexts binds = TRY(step(Exit::usage, split_assignments(arguments.input.binds, "--bind")));
    const HostBuffers host = TRY(step(Exit::usage, make_buffers(*program, binds)));
    const ChosenGrid grid = TRY(step(Exit::usage, choose_grid(arguments.input, *program, host)));
    Phases phases(program, host, grid.workgroups, arguments.cluster);
    TRY(step(Exit::usage, replicate(phases, *program, arguments.replicate)));
    const Result<std::vector<PlannedPhase>> planned = phases.plan();
    if (!planned) return std::unexpected(Failure{exit_of(planned.error().code), planned.error()});
    if (arguments.json) {
        Json list = Json::array();
        for (const PlannedPhase& one : *planned) list.push_back(plan_json(one));
        print_json({{"program", arguments.program.path},
                    {"cluster", {{"ranks", arguments.cluster}, {"phases", list}}}});
        return Exit::done;
    }
    for (std::size_t i = 0; i < planned->size(); ++i) {
        if (planned->size() > 1) say(fmt::format("Phase {} of {}: ", i + 1, planned->size()));
        say(fmt::format("{}\n", cluster::explain(*(*planned)[i].plan, *(*planned)[i].program)));
    }
    return Exit::done;
}

}  // namespace muster::cli
