// model_text.hpp - bytes of ONNX models from protobuf's text format, in which tests and fuzz targets write them.
//
//     onnx_bytes("ir_version: 8 opset_import { version: 13 } graph { node { op_type: \"Relu\" input: \"x\" output: \"y\" } ... }")
//
// Its source alone knows protobuf.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::graph {

/// The bytes of a ModelProto; none if the text isn't one.
std::optional<std::vector<std::byte>> try_onnx_bytes(std::string_view text);
/// The same of a TensorProto.
std::optional<std::vector<std::byte>> try_onnx_tensor_bytes(std::string_view text);
/// The text of a model's bytes.
std::string onnx_text(const std::vector<std::byte>& bytes);

}  // namespace muster::graph
