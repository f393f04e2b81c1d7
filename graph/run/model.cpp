#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>
#include <muster/graph/kernels/constant_inputs.hpp>
#include <muster/graph/pack/pack.hpp>
#include <muster/graph/parts/partition.hpp>
#include <muster/graph/plan/integer_ranges.hpp>
#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/rewrite/fuse.hpp>
#include <muster/graph/rewrite/specialise.hpp>
#include <muster/graph/run/choose_pack.hpp>
#include <muster/graph/run/device_tensor.hpp>
#include <muster/graph/run/loaded_plan.hpp>
#include <muster/graph/run/model.hpp>
#include <muster/graph/run/nan_constants.hpp>
#include <muster/graph/run/plan_to_run.hpp>

namespace muster::graph {

namespace {

/// The treatment of parts of the graph by backends with a compiler of their own.
enum class Parts : std::uint8_t { compiled, asked, none };

struct Planned {
    std::unique_ptr<const Pack> pack;  // groups of the plan refer to its patterns
    Plan plan;
    std::map<std::size_t, OutsidePart> parts;
    ModelSummary summary;
};

}  // namespace

struct Model::State {
    struct Prepared {
        std::unique_ptr<LoadedPlan> plan;
        ModelSummary summary;
    };

    Session session;
    Graph graph;
    ModelOptions options;
    std::set<ValueId> deciding;  // inputs whose contents kernels are made for
    std::once_flag has_note_of_nans;
    std::optional<std::string> note_of_nans;  // reads all constants, so once
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<Prepared>, std::less<>> plans;  // by the inputs that decide

    State(Session of_session, Graph of_graph, ModelOptions of_options)
        : session(std::move(of_session)),
          graph(std::move(of_graph)),
          options(std::move(of_options)),
          deciding(inputs_that_decide_kernels(graph)) {}

    Result<void> check(std::span<const Tensor> inputs) const;
    std::string key(std::span<const Tensor> inputs) const;
    Result<std::shared_ptr<Prepared>> plan(std::span<const Tensor> inputs);
    Result<Planned> make(std::span<const Tensor> inputs, Parts parts,
                         std::span<const std::string> backends = {});
};

Result<void> Model::State::check(std::span<const Tensor> inputs) const {
    if (inputs.size() != graph.inputs().size()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Model \"{}\" has {} inputs, and {} tensors are given.",
                                printable(graph.name()), graph.inputs().size(), inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Value& value = graph.value(graph.inputs()[i]);
        if (inputs[i].element() == value.type.element) continue;
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Input \"{}\" is {}, and {} is given.", printable(value.name),
                                to_string(value.type), to_string(inputs[i].type())));
    }
    return {};
}

/// The sizes of all inputs, the magnitudes of integers of 64 bits, and what those inputs hold
/// that kernels are made for.
std::string Model::State::key(std::span<const Tensor> inputs) const {
    std::string key;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        key += fmt::format("{};", fmt::join(inputs[i].sizes(), ","));
        if (inputs[i].element() == ElementType::i64) key += fmt::format("2^{};", magnitude_of(inputs[i]));
        if (!deciding.contains(graph.inputs()[i])) continue;
        const auto bytes = inputs[i].bytes();
        key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return key;
}

Result<std::shared_ptr<Model::State::Prepared>> Model::State::plan(std::span<const Tensor> inputs) {
    TRY(check(inputs));
    const std::string which = key(inputs);
    const std::lock_guard lock(mutex);
    if (const auto found = plans.find(which); found != plans.end()) return found->second;
    Planned planned = TRY(make(inputs, Parts::compiled));
    auto prepared = std::make_shared<Prepared>();
    prepared->plan = TRY(LoadedPlan::load(
        session, TRY(run_plan_of(std::move(planned.plan), std::move(planned.parts))), options.compile));
    prepared->summary = std::move(planned.summary);
    for (std::size_t i = 0; i < prepared->summary.steps.size(); ++i)
        prepared->summary.steps[i].route = prepared->plan->routes()[i];
    prepared->summary.weight_bytes = prepared->plan->weight_bytes();
    prepared->summary.activation_bytes = prepared->plan->activation_bytes();
    plans.emplace(which, prepared);
    return prepared;
}

/// The plan for inputs of these sizes; its steps have no routes yet.
Result<Planned> Model::State::make(std::span<const Tensor> inputs, Parts parts,
                                   std::span<const std::string> backends) {
    Sizing sizing;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const ValueId id = graph.inputs()[i];
        sizing.sizes[graph.value(id).name] = {inputs[i].sizes().begin(), inputs[i].sizes().end()};
        if (deciding.contains(id)) sizing.contents.emplace(graph.value(id).name, inputs[i]);
    }
    std::vector<int> magnitudes;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        magnitudes.push_back(inputs[i].element() == ElementType::i64 ? magnitude_of(inputs[i]) : 0);
        if (magnitudes.back() < 63) continue;
        const auto name = [&] {
            return fmt::format("reading input \"{}\"", printable(graph.value(graph.inputs()[i]).name));
        };
        TRY(during(name, to_device(inputs[i])));  // says which number doesn't fit
    }
    const Pack& chosen = *TRY(choose_pack(session, options.compile, backends));
    auto pack = std::make_unique<const Pack>(with_portable(chosen));
    Rewritten rewritten = TRY(rewrite(TRY(specialise(graph, sizing)), pack->conversion));
    TRY(check_integer_ranges(rewritten.graph, magnitudes));
    Fused fused = TRY(fuse(rewritten.graph, *pack));
    Partition cut{.groups = lowerable_groups(rewritten.graph, fused.groups)};
    if (parts != Parts::none) {
        Session here = session;
        cut = TRY(partition(here, rewritten.graph, std::move(cut.groups), options.compile,
                            parts == Parts::compiled ? Preprocess::now : Preprocess::never));
    }
    const std::set<std::size_t> outside = cut.outside();
    Planned planned{
        .pack = std::move(pack),
        .plan = TRY(make_plan(rewritten.graph, std::move(cut.groups), outside)),
        .parts = std::move(cut.parts),
        .summary = {{.notes = std::move(cut.notes)}, std::move(rewritten.report), std::move(fused.report)}};
    planned.summary.pack = chosen.name;
    planned.summary.pack_keeps_bits = &chosen == &portable_pack() || chosen.keeps_bits();
    std::call_once(has_note_of_nans, [&] { note_of_nans = graph::note_of_nans(graph); });
    if (note_of_nans) planned.summary.notes.push_back(*note_of_nans);
    for (const PlannedGroup& each : planned.plan.groups) {
        ModelStep& step = planned.summary.steps.emplace_back();
        for (const NodeId node : each.group.nodes) step.nodes.push_back(rewritten.graph.label(node));
        if (each.group.pattern) step.pattern = each.group.pattern->name;
        step.kernels = each.kernels.steps.size();
    }
    for (const auto& [which, part] : planned.parts) {
        planned.summary.steps[which].pattern = "compiled by " + part.backend;
        planned.summary.steps[which].kernels = 1;
    }
    return planned;
}

Result<Model> Model::open(Session session, Graph graph, const ModelOptions& options) {
    return Model(std::make_shared<State>(std::move(session), std::move(graph), options));
}

const Graph& Model::graph() const { return state_->graph; }

Result<std::vector<Tensor>> Model::run(std::span<const Tensor> inputs) {
    return TRY(state_->plan(inputs))->plan->run(inputs);
}

Result<std::vector<KernelTime>> Model::profile(std::span<const Tensor> inputs) {
    return TRY(state_->plan(inputs))->plan->profile(inputs);
}

Result<ModelSummary> Model::prepare(std::span<const Tensor> inputs) {
    return TRY(state_->plan(inputs))->summary;
}

Result<RunPlan> Model::plan(std::span<const Tensor> inputs, std::span<const std::string> backends) const {
    TRY(state_->check(inputs));
    Planned planned = TRY(state_->make(inputs, Parts::none, backends));
    RunPlan plan = TRY(run_plan_of(std::move(planned.plan)));
    plan.pack = std::move(planned.summary.pack);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!state_->deciding.contains(state_->graph.inputs()[i])) continue;
        const auto bytes = inputs[i].bytes();
        plan.inputs[i].contents.emplace(bytes.begin(), bytes.end());
    }
    return plan;
}

Result<ModelSummary> Model::route(std::span<const Tensor> inputs) {
    TRY(state_->check(inputs));
    Planned planned = TRY(state_->make(inputs, Parts::asked));
    std::map<std::string, Route, std::less<>> routes;  // by WGSL
    for (std::size_t i = 0; i < planned.plan.groups.size(); ++i) {
        ModelStep& step = planned.summary.steps[i];
        if (const auto part = planned.parts.find(i); part != planned.parts.end())
            step.route = state_->session.route(part->second.program.program, state_->options.compile);
        for (const KernelStep& kernel : planned.plan.groups[i].kernels.steps) {
            auto found = routes.find(kernel.wgsl);
            if (found == routes.end()) {
                const ValidProgram program = TRY(program_of(kernel.wgsl));
                found = routes.emplace(kernel.wgsl, state_->session.route(program, state_->options.compile))
                            .first;
            }
            if (!step.route || !found->second.execute()) step.route = found->second;
        }
    }
    return planned.summary;
}

}  // namespace muster::graph
