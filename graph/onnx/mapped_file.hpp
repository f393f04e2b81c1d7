// mapped_file.hpp - a file's bytes in memory, read as they are touched. Internal to graph/onnx.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include <muster/foundation/base/result.hpp>

namespace muster::graph::onnx {

/// Owns the mapping. The file must not shrink while it is used.
class MappedFile {
  public:
    MappedFile(void* data, std::size_t size) : data_(data), size_(size) {}
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();
    std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

  private:
    void* data_;  // null: the file is empty
    std::size_t size_;
};

/// Errors: not_found, io_failed (it can't be read, or isn't a regular file).
Result<std::shared_ptr<const MappedFile>> map_file(const std::filesystem::path& path);

}  // namespace muster::graph::onnx
