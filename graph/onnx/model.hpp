// model.hpp - what an ONNX file says, as plain data without protobuf. Internal to graph/onnx.
//
// read_model() and write_model() are the only doors to protobuf. What is read is checked no further than that
// it is a message of that form.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/tensor.hpp>

namespace muster::graph::onnx {

/// The place of a tensor's data, as the file says it.
struct ExternalData {
    std::string location, offset, length;
};

struct FileTensor {
    std::string name;
    std::int64_t type = 0;  // TensorProto.DataType
    std::vector<std::int64_t> sizes;
    SharedBytes bytes;       // row-major, little-endian, whichever field they come from
    std::string unreadable;  // a sentence: why there are no bytes; empty: there are
    std::shared_ptr<const ExternalData> external = {};  // null: the data is here
};

/// A tensor as a file has it, with the same bytes.
FileTensor file_tensor(std::string name, const Tensor& tensor);

struct FileGraph;

/// The kind of an attribute that graphs here don't have, e.g. "a sparse tensor".
struct OtherKind {
    std::string_view name;
};

struct FileAttribute {
    std::string name;
    std::string refers_to;  // in a function: the attribute of the call that it stands for; empty: none
    std::variant<OtherKind, std::int64_t, float, std::string, FileTensor, std::vector<std::int64_t>,
                 std::vector<float>, std::vector<std::string>, std::shared_ptr<const FileGraph>>
        value;
};

struct FileNode {
    std::string name, op, domain, overload;
    std::vector<std::string> inputs, outputs;  // "": absent
    std::vector<FileAttribute> attributes;
};

/// A size: a number, or a name, or neither.
struct FileDimension {
    std::optional<std::int64_t> number;
    std::string name;
};

struct FileValue {
    std::string name;
    std::string_view other_kind = {};                      // "a sequence", ...; empty: a tensor
    std::int64_t type = 0;                                 // TensorProto.DataType
    std::optional<std::vector<FileDimension>> shape = {};  // none: not even the rank is known
};

struct FileGraph {
    std::string name;
    std::vector<FileNode> nodes;
    std::vector<FileTensor> initializers;
    std::vector<std::string> sparse_initializers;  // their names
    std::vector<FileValue> inputs, outputs;
};

struct FileOpset {
    std::string domain;
    std::int64_t version = 0;
};

struct FileFunction {
    std::string name, domain, overload;
    std::vector<std::string> inputs, outputs;
    std::vector<FileAttribute> defaults;
    std::vector<FileNode> nodes;
    std::vector<FileOpset> opsets;
};

struct FileModel {
    std::int64_t ir_version = 0;
    std::string producer;
    std::vector<FileOpset> opsets;
    std::optional<FileGraph> graph;
    std::vector<FileFunction> functions;
};

/// Errors: invalid_program (no message of that form), limit_exceeded (2 GiB, the
/// number of parts, their depth).
Result<FileModel> read_model(std::span<const std::byte> bytes);
/// Errors: those of read_model(), not_found, io_failed.
Result<FileModel> read_model(const std::filesystem::path& path);
Result<FileTensor> read_tensor(const std::filesystem::path& path);

/// Errors: limit_exceeded (more than 2 GiB).
Result<std::vector<std::byte>> model_bytes(const FileModel& model);
/// Replaces the file. Errors: those of model_bytes(), io_failed.
Result<void> write_model(const FileModel& model, const std::filesystem::path& path);

/// `"conv1" (Conv)`, or, of a node without a name, `that makes "y" (Conv)`; for messages, behind "node ".
std::string label(const FileNode& node);
/// ONNX's own name of a TensorProto.DataType, e.g. "double".
std::string type_name(std::int64_t type);

}  // namespace muster::graph::onnx
