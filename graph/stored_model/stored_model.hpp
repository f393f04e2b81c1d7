// stored_model.hpp - a model that runs from its artifact.
//
//     StoredModel model = *StoredModel::open(session, *load_model_artifact("squeezenet.muster"));
//     std::vector<Tensor> outputs = *model.run({image});
//
// Kernels use the stored codes where one fits the device that the session chooses, and are compiled
// elsewhere. The first run with inputs of certain sizes loads them and the weights; later ones allocate
// nothing on the device. StoredModel is a handle: copies name the same model. Threads: any; runs with the
// same sizes happen one after the other.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/graph/ir/tensor.hpp>
#include <muster/graph/run/summary.hpp>
#include <muster/graph/stored_model/model_artifact.hpp>

namespace muster::graph {

class StoredModel {
  public:
    /// Uses the artifact's options unless others are given, for which the kernels have no codes.
    static Result<StoredModel> open(Session session, ModelArtifact artifact,
                                    std::optional<CompileOptions> options = {});

    const ModelArtifact& artifact() const;
    /// The outputs in the model's order, for inputs in the model's order. Errors: invalid_argument (number or
    /// types of inputs, sizes that the artifact isn't for), refused (no device runs a kernel), unavailable
    /// (no code fits, and nothing here compiles), limit_exceeded (an integer of 64 bits that doesn't fit 32),
    /// those of Session::dispatch and of Buffer.
    Result<std::vector<Tensor>> run(std::span<const Tensor> inputs);
    /// The same, one kernel at a time, with the time of each on its device. Errors: those of run().
    Result<std::vector<KernelTime>> profile(std::span<const Tensor> inputs);
    /// Loads kernels and weights for inputs of these sizes, and runs nothing. Errors: those of run().
    Result<RunSummary> prepare(std::span<const Tensor> inputs);
    /// Tells where each step would run, and loads nothing. A step that no device runs isn't an error. Errors:
    /// those of run() that concern the file and the inputs.
    Result<RunSummary> route(std::span<const Tensor> inputs);

    struct State;

  private:
    explicit StoredModel(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

}  // namespace muster::graph
