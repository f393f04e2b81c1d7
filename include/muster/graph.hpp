// graph.hpp - models as graphs of operators: find_package(muster), muster::graph.
//
//     #include <muster/graph.hpp>
//     using namespace muster;
//     graph::Graph graph = *graph::parse_graph("graph \"g\" { input x: f32[N] \n y = Exp(x) \n output y }");
//     graph::Model model = *graph::Model::open(*Session::open(), graph);
//     std::vector<graph::Tensor> outputs = *model.run({{x}});
//
// docs/models.md is the guide; docs/packs.md is about packs of patterns. ONNX files: onnx.hpp. A program
// that only runs artifacts of models links muster::graph_runtime, which has StoredModel and
// load_model_artifact() of this header alone.
#pragma once

// clang-format off
#include <muster/foundation/base/cxx23.hpp>  // before all others
// clang-format on

#include <muster/graph/build/graph_builder.hpp>
#include <muster/graph/evaluate/evaluate.hpp>
#include <muster/graph/pack/pack.hpp>
#include <muster/graph/quantize/quantize.hpp>
#include <muster/graph/rewrite/conversion_site.hpp>
#include <muster/graph/run/model.hpp>
#include <muster/graph/stored_model/package.hpp>
#include <muster/graph/stored_model/stored_model.hpp>
#include <muster/graph/text/graph_text.hpp>
