// model.hpp - a model that runs: a graph, lowered to kernels, on the devices that a session chooses.
//
//     Session session = *Session::open();
//     Model model = *Model::open(session, *onnx::import("squeezenet.onnx"));
//     std::vector<Tensor> outputs = *model.run({image});
//
// The first run with inputs of certain sizes plans: it makes kernels for these sizes, compiles them,
// uploads the weights and records everything as sequences; later runs with the same sizes allocate nothing
// on the device. Model is a handle: copies name the same model. Threads: any; runs with the same sizes
// happen one after the other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/graph/ir/graph.hpp>
#include <muster/graph/rewrite/rewrite.hpp>
#include <muster/graph/run/run_plan.hpp>
#include <muster/graph/run/summary.hpp>

namespace muster::graph {

struct ModelOptions {
    CompileOptions compile = {};
};

/// The steps of runs with inputs of certain sizes, and the patterns that made them.
struct ModelSummary : RunSummary {
    PatternReport conversions, fusion;
};

class Model {
  public:
    static Result<Model> open(Session session, Graph graph, const ModelOptions& options = {});

    const Graph& graph() const;
    /// The outputs in the graph's order, for inputs in the graph's order. Errors: invalid_argument (number,
    /// types or sizes of inputs), unsupported (an operator without a kernel of its form), refused (no device
    /// runs a kernel), limit_exceeded (an integer of 64 bits that doesn't fit 32; more memory than a device
    /// has), those of Session::dispatch and of Buffer.
    Result<std::vector<Tensor>> run(std::span<const Tensor> inputs);
    /// The same, one kernel at a time, with the time of each on its device. Errors: those of run().
    Result<std::vector<KernelTime>> profile(std::span<const Tensor> inputs);
    /// Plans for inputs of these sizes and prepares all kernels, and runs nothing. Errors: those of run().
    Result<ModelSummary> prepare(std::span<const Tensor> inputs);
    /// Tells where each step would run, and compiles nothing. A step that no device runs isn't an error.
    /// Errors: those of run() that concern the graph and the inputs.
    Result<ModelSummary> route(std::span<const Tensor> inputs);
    /// Returns what runs with inputs of these sizes need, for an artifact (graph/stored_model); prepares nothing.
    /// The pack is one for the devices of these backends; without any, for the device that the session
    /// chooses. Errors: as of route().
    Result<RunPlan> plan(std::span<const Tensor> inputs, std::span<const std::string> backends = {}) const;

    struct State;

  private:
    explicit Model(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

}  // namespace muster::graph
