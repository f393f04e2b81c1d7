#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/run/loaded_plan.hpp>
#include <muster/graph/stored_model/stored_model.hpp>

namespace muster::graph {
namespace {

bool fits(const RunTensor& wanted, const Tensor& given) {
    return std::ranges::equal(wanted.sizes, given.sizes()) &&
           (!wanted.contents || std::ranges::equal(*wanted.contents, given.bytes()));
}

bool fits(const RunPlan& plan, std::span<const Tensor> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!fits(plan.inputs[i], inputs[i])) return false;
    return true;
}

/// "data [1, 3, 224, 224]" of each input.
std::string sizes_text(const RunPlan& plan) {
    std::string text;
    for (const RunTensor& input : plan.inputs)
        text += fmt::format("{}{} [{}]{}", text.empty() ? "" : ", ", printable(input.name),
                            fmt::join(input.sizes, ", "), input.contents ? " with its contents" : "");
    return text;
}

std::string given_text(const RunPlan& plan, std::span<const Tensor> inputs) {
    std::string text;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        text += fmt::format("{}{} [{}]", text.empty() ? "" : ", ", printable(plan.inputs[i].name),
                            fmt::join(inputs[i].sizes(), ", "));
    return text;
}

}  // namespace

struct StoredModel::State {
    Session session;
    ModelArtifact artifact;
    CompileOptions options;
    std::mutex mutex;
    std::vector<std::unique_ptr<LoadedPlan>> plans;  // of the choices; null: not loaded yet

    State(Session of_session, ModelArtifact of_artifact, std::optional<CompileOptions> of_options)
        : session(std::move(of_session)),
          artifact(std::move(of_artifact)),
          options(of_options ? *std::move(of_options) : artifact.options),
          plans(artifact.choices.size()) {}

    Result<std::size_t> choose(std::span<const Tensor> inputs) const;
    Result<LoadedPlan*> load(std::size_t choice);
    RunSummary summary(std::size_t choice) const;
};

Result<std::size_t> StoredModel::State::choose(std::span<const Tensor> inputs) const {
    const RunPlan& first = artifact.choices.front();
    if (inputs.size() != first.inputs.size()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Model \"{}\" has {} inputs, and {} tensors are given.",
                                printable(artifact.name), first.inputs.size(), inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].element() == first.inputs[i].element) continue;
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Input \"{}\" is of {}, and {} is given.", printable(first.inputs[i].name),
                                name(first.inputs[i].element), to_string(inputs[i].type())));
    }
    for (std::size_t i = 0; i < artifact.choices.size(); ++i)
        if (fits(artifact.choices[i], inputs)) return i;
    std::vector<std::string> all;
    for (const RunPlan& choice : artifact.choices) all.push_back(sizes_text(choice));
    return fail(ErrorCode::invalid_argument,
                fmt::format("The artifact of model \"{}\" isn't for these inputs ({}), but for {}.",
                            printable(artifact.name), given_text(first, inputs), fmt::join(all, "; or ")),
                "give inputs of one of these sizes, or emit the model for others, too (muster emit --size)");
}

Result<LoadedPlan*> StoredModel::State::load(std::size_t choice) {
    const std::lock_guard lock(mutex);
    if (!plans[choice]) plans[choice] = TRY(LoadedPlan::load(session, artifact.choices[choice], options));
    return plans[choice].get();
}

/// Without routes and sizes of memory.
RunSummary StoredModel::State::summary(std::size_t choice) const {
    RunSummary summary{.pack = artifact.pack};
    for (const RunStep& step : artifact.choices[choice].steps)
        summary.steps.push_back({.nodes = step.nodes, .pattern = step.pattern});
    for (const RunDispatch& dispatch : artifact.choices[choice].dispatches)
        ++summary.steps[dispatch.step].kernels;
    return summary;
}

Result<StoredModel> StoredModel::open(Session session, ModelArtifact artifact,
                                      std::optional<CompileOptions> options) {
    return StoredModel(std::make_shared<State>(std::move(session), std::move(artifact), std::move(options)));
}

const ModelArtifact& StoredModel::artifact() const { return state_->artifact; }

Result<std::vector<Tensor>> StoredModel::run(std::span<const Tensor> inputs) {
    return TRY(state_->load(TRY(state_->choose(inputs))))->run(inputs);
}

Result<std::vector<KernelTime>> StoredModel::profile(std::span<const Tensor> inputs) {
    return TRY(state_->load(TRY(state_->choose(inputs))))->profile(inputs);
}

Result<RunSummary> StoredModel::prepare(std::span<const Tensor> inputs) {
    const std::size_t choice = TRY(state_->choose(inputs));
    const LoadedPlan& plan = *TRY(state_->load(choice));
    RunSummary summary = state_->summary(choice);
    for (std::size_t i = 0; i < summary.steps.size(); ++i) summary.steps[i].route = plan.routes()[i];
    summary.weight_bytes = plan.weight_bytes();
    summary.activation_bytes = plan.activation_bytes();
    return summary;
}

Result<RunSummary> StoredModel::route(std::span<const Tensor> inputs) {
    const std::size_t choice = TRY(state_->choose(inputs));
    const RunPlan& plan = state_->artifact.choices[choice];
    RunSummary summary = state_->summary(choice);
    std::vector<std::optional<Route>> routes(plan.programs.size());
    for (const RunDispatch& dispatch : plan.dispatches) {
        std::optional<Route>& route = routes[dispatch.program];
        if (!route)
            route = state_->session.route(TRY(plan.programs[dispatch.program]()).program, state_->options);
        ModelStep& step = summary.steps[dispatch.step];
        if (!step.route || !route->execute()) step.route = route;
    }
    return summary;
}

}  // namespace muster::graph
