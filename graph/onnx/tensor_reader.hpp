// tensor_reader.hpp - makes tensors of what a file says of them. Internal to graph/onnx.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <muster/graph/onnx/mapped_file.hpp>
#include <muster/graph/onnx/model.hpp>

namespace muster::graph::onnx {

class TensorReader {
  public:
    /// `folder` holds the files of external data; empty: there is none.
    explicit TensorReader(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// The tensor, sharing the file's bytes. Errors: unsupported (its element type, segments),
    /// invalid_program (its data don't fit its type and sizes), limit_exceeded, and those of its external
    /// data: not_found, io_failed.
    Result<Tensor> read(const FileTensor& tensor);

  private:
    Result<SharedBytes> external(const ExternalData& data);
    Result<std::shared_ptr<const platform::MappedFile>> file(const std::string& location);

    std::filesystem::path folder_;
    std::map<std::string, std::shared_ptr<const platform::MappedFile>> files_;  // by location
};

/// The element type; an error names ONNX's type and those that tensors here have.
Result<ElementType> element_type(std::int64_t onnx_type);

}  // namespace muster::graph::onnx
