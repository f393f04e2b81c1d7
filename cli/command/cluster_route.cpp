#include <algorithm>

#include <fmt/format.h>

#include <muster/cli/command/route.hpp>
#include <muster/cli/input/grid_argument.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cluster/decomposition/explain.hpp>
#include <muster/cluster/decomposition/phases.hpp>
#include <muster/cluster/decomposition/planner.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster::cli {
namespace {

using cluster::Plan;
using cluster::PlanBinding;

struct ExplainedPhase {
    ValidProgram program;
    std::shared_ptr<const Plan> plan;
};

Json words_json(cluster::WordRange words) { return Json::array({words.begin, words.end}); }

Json plan_json(const ExplainedPhase& phase) {
    const Plan& plan = *phase.plan;
    const auto binding = [&](std::uint32_t which) {
        return phase.program->variable(phase.program->bindings()[which]).name;
    };
    Json json{{"grid", to_json(report::of(plan.grid))},
              {"axis", std::string(1, "xyz"[plan.axis])},
              {"ranks", Json::array()}};
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

/// The phases of a dispatch, one after another.
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

    Result<std::vector<ExplainedPhase>> plan() {
        if (!has_grid_barriers(program_)) {
            auto plan =
                TRY(planner_.plan(analyse_footprint(program_), {.grid = grid_, .bindings = bindings_}));
            return std::vector{ExplainedPhase{program_, std::move(plan)}};
        }
        const SplitProgram split = TRY(split_at_grid_barriers(program_));
        std::vector<Footprint> footprints;
        for (const SplitPart& part : split.parts) footprints.push_back(analyse_footprint(part.program));
        const std::uint64_t words = scratch_words(split, grid_);
        const auto planned = TRY(cluster::plan_phases(
            planner_, {.split = split,
                       .footprint = [&](std::uint32_t part) -> const Footprint& { return footprints[part]; },
                       .grid = grid_,
                       .bindings = bindings_,
                       .scratch = {.bytes = 4 * words, .distribution = planner_.replicated(words)}}));
        std::vector<ExplainedPhase> phases;
        for (const cluster::PlannedPhase& each : planned)
            phases.push_back({split.parts[each.part].program, each.plan});
        return phases;
    }

  private:
    cluster::DistributionId in_blocks(const HostBuffer& buffer) {
        const std::uint64_t words = buffer.bytes.size() / 4;
        const std::uint64_t elements =
            buffer.shape.empty() ? words : std::max(buffer.shape[0], std::uint64_t{1});
        return planner_.intern(cluster::sharded(words, words / elements, planner_.weights()));
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
    const auto [host, grid] = TRY(step(Exit::usage, make_input(arguments.input, *program)));
    Phases phases(program, host, grid.workgroups, arguments.cluster);
    TRY(step(Exit::usage, replicate(phases, *program, arguments.replicate)));
    const std::vector<ExplainedPhase> planned = TRY(step(phases.plan()));
    if (arguments.json) {
        Json list = Json::array();
        for (const ExplainedPhase& one : planned) list.push_back(plan_json(one));
        print_json({{"program", arguments.program.path},
                    {"cluster", {{"ranks", arguments.cluster}, {"phases", list}}}});
        return Exit::done;
    }
    for (std::size_t i = 0; i < planned.size(); ++i) {
        if (planned.size() > 1) say(fmt::format("Phase {} of {}: ", i + 1, planned.size()));
        say(fmt::format("{}\n", cluster::explain(*planned[i].plan, *planned[i].program)));
    }
    return Exit::done;
}

}  // namespace muster::cli
