// package.hpp - makes the artifact of a model: its plans, and codes of its kernels for several targets.
//
//     ModelPackage package = TRY(package_model(session, model, {{{image}}}, {{.arch = "cpu:x86-64-v3"}, {.arch = "cuda:sm_90"}}));
//     write_file("squeezenet.muster", model_artifact_bytes(package));
#pragma once

#include <span>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/graph/run/model.hpp>
#include <muster/graph/stored_model/model_artifact.hpp>

namespace muster::graph {

/// `inputs`: for each choice of sizes one tensor for each of the model's inputs, of which only the sizes
/// count, and the contents where kernels are made for them. All targets have the same compile options.
/// Compiles on as many threads as there are cores. Errors: those of Model::plan(); of Session::package(),
/// with the nodes that the kernel is for.
Result<ModelPackage> package_model(Session session, const Model& model,
                                   std::span<const std::vector<Tensor>> inputs,
                                   std::span<const EmitOptions> targets);

}  // namespace muster::graph
