#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <muster/cluster/decomposition/cut.hpp>
#include <muster/cluster/decomposition/mixed.hpp>
#include <muster/cluster/decomposition/planner.hpp>
#include <muster/foundation/base/intern_table.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cluster {
namespace {

constexpr std::size_t max_plans = 4096;  // kept for later dispatches

std::uint64_t bytes_of(const PlanBinding& binding) {
    return binding.value.empty() ? binding.bytes : binding.value.size();
}

using Key = std::vector<std::uint64_t>;

// The numbers that a plan depends on.
void set_key(Key& key, const Footprint& footprint, const PlanRequest& request) {
    const Fingerprint& program = footprint.program.fingerprint();
    key.assign(program.words.begin(), program.words.end());
    key.insert(key.end(), {request.grid.x, request.grid.y, request.grid.z, request.weights.index});
    for (const PlanBinding& one : request.bindings)
        key.insert(key.end(), {bytes_of(one), one.distribution.index, std::uint64_t{one.reads_whole}});
    for (const RangeEntry& one : footprint.table.entries) {
        const auto bindings = footprint.program.bindings();
        const auto place = std::ranges::find(bindings, one.variable) - bindings.begin();
        const PlanBinding& of = request.bindings[static_cast<std::size_t>(place)];
        const auto value = value_in(one, bytes_of(of), of.value);
        key.push_back(value ? static_cast<std::uint64_t>(*value) : UINT64_MAX / 2);
    }
}

}  // namespace

struct Planner::State {
    struct KeyHash {
        std::size_t operator()(const Key& of) const {
            Mixed hash;
            for (const std::uint64_t word : of) hash.add(word);
            return hash.hash();
        }
    };

    std::deque<std::vector<double>> weights;  // the planner's own first
    InternTable known_weights;
    std::deque<Distribution> distributions;
    InternTable known;
    std::unordered_map<Key, std::shared_ptr<const Plan>, KeyHash> plans;
    Key key;  // of the request at hand: keeps its memory

    std::size_t ranks() const { return weights.front().size(); }
    WeightsId intern(std::vector<double> given);
    DistributionId intern(Distribution distribution);
    Result<std::shared_ptr<const Plan>> make(const Footprint& footprint, const PlanRequest& request);
    Result<const Distribution*> held(const Footprint& footprint, std::uint32_t binding,
                                     const PlanBinding& argument) const;
};

Planner::Planner(std::vector<double> weights) : state_(std::make_unique<State>()) {
    state_->intern(std::move(weights));
}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;

std::span<const double> Planner::weights(WeightsId id) const { return state_->weights[id.index]; }

WeightsId Planner::State::intern(std::vector<double> given) {
    const auto next = static_cast<std::uint32_t>(weights.size());
    const std::uint64_t hash = Mixed().add(std::as_bytes(std::span(given))).hash();
    const std::uint32_t at =
        known_weights.find_or_add(hash, next, [&](std::uint32_t i) { return weights[i] == given; });
    if (at == next) weights.push_back(std::move(given));
    return {at};
}

WeightsId Planner::intern(std::vector<double> weights) { return state_->intern(std::move(weights)); }

DistributionId Planner::State::intern(Distribution distribution) {
    Mixed mixed;
    mixed.add(distribution.words);
    for (const WordSet& set : distribution.current) {
        mixed.add(set.ranges().size());
        for (const WordRange& range : set.ranges()) mixed.add(range.begin).add(range.end);
    }
    const auto next = static_cast<std::uint32_t>(distributions.size());
    const std::uint32_t at = known.find_or_add(
        mixed.hash(), next, [&](std::uint32_t i) { return distributions[i] == distribution; });
    if (at == next) distributions.push_back(std::move(distribution));
    return {at};
}

DistributionId Planner::intern(Distribution distribution) { return state_->intern(std::move(distribution)); }

DistributionId Planner::replicated(std::uint64_t words) {
    return intern(cluster::replicated(words, state_->ranks()));
}

const Distribution& Planner::distribution(DistributionId id) const { return state_->distributions[id.index]; }

Result<std::shared_ptr<const Plan>> Planner::plan(const Footprint& footprint, const PlanRequest& request) {
    const std::size_t needed = footprint.program.bindings().size();
    if (request.bindings.size() != needed)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The program has {} bindings, and {} arguments are given.", needed,
                                request.bindings.size()),
                    "give one argument for each binding");
    set_key(state_->key, footprint, request);
    if (const auto known = state_->plans.find(state_->key); known != state_->plans.end())
        return known->second;
    std::shared_ptr<const Plan> made = TRY(state_->make(footprint, request));
    if (state_->plans.size() >= max_plans) state_->plans.clear();
    state_->plans.emplace(state_->key, made);
    return made;
}

Result<std::shared_ptr<const Plan>> Planner::State::make(const Footprint& footprint,
                                                         const PlanRequest& request) {
    std::vector<KnownBinding> known;
    std::vector<const Distribution*> held_by;
    for (std::uint32_t i = 0; i < request.bindings.size(); ++i) {
        const PlanBinding& argument = request.bindings[i];
        known.push_back({bytes_of(argument), argument.value});
        held_by.push_back(TRY(held(footprint, i, argument)));
    }
    Dispatch dispatch{.footprint = footprint,
                      .values = FootprintValues(footprint, {.grid = request.grid, .bindings = known}),
                      .grid = request.grid,
                      .bindings = request.bindings,
                      .held = held_by,
                      .weights = weights[request.weights.index]};
    PlannedDispatch made = plan_dispatch(dispatch);
    for (std::size_t i = 0; i < held_by.size(); ++i)
        made.plan.after.push_back(held_by[i] == nullptr ? DistributionId{}
                                                        : intern(std::move(made.after[i])));
    return std::make_shared<const Plan>(std::move(made.plan));
}

Result<const Distribution*> Planner::State::held(const Footprint& footprint, std::uint32_t binding,
                                                 const PlanBinding& argument) const {
    const Variable& variable = footprint.program.variable(footprint.program.bindings()[binding]);
    const std::uint64_t bytes = bytes_of(argument);
    const auto wrong = [&](std::string what, std::string fix) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Binding {} (\"{}\") {}.", binding, variable.name, what), std::move(fix));
    };
    if (!argument.distribution) {
        if (!variable.is_written) return nullptr;
        return wrong("is written, and it isn't said which ranks have its words", "give its distribution");
    }
    const Distribution& distribution = distributions[argument.distribution.index];
    if (bytes % 4 != 0)
        return wrong(fmt::format("holds {} bytes, which isn't a multiple of 4", bytes), "use whole words");
    if (distribution.words != bytes / 4)
        return wrong(
            fmt::format("holds {} words, and its distribution has {}", bytes / 4, distribution.words),
            "give the buffer's own distribution");
    if (distribution.current.size() != ranks())
        return wrong(fmt::format("is distributed over {} ranks, and there are {}",
                                 distribution.current.size(), ranks()),
                     "give a distribution over all ranks");
    return &distribution;
}

}  // namespace muster::cluster
