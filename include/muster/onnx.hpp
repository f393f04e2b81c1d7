// onnx.hpp - models as ONNX's files: find_package(muster COMPONENTS onnx), muster::onnx.
//
//     #include <muster/onnx.hpp>
//     muster::graph::Graph graph = *muster::graph::import_onnx("squeezenet.onnx");
//
// The library is there where muster was built with ONNX's messages (docs/models.md, What is imported).
#pragma once

// clang-format off
#include <muster/foundation/base/cxx23.hpp>  // before all others
// clang-format on

#include <muster/graph/onnx/export.hpp>
#include <muster/graph/onnx/import.hpp>
