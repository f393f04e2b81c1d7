// mapped_file.hpp - a file's bytes in memory, or the error of a file that can't be read. Internal to graph/onnx.
#pragma once

#include <filesystem>
#include <memory>
#include <system_error>

#include <muster/driver/platform/file.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::graph::onnx {

/// The error of a file that can't be read, from the system's.
std::unexpected<Error> unreadable(const std::filesystem::path& path, std::error_code error);

/// Errors: not_found, io_failed (it can't be read, or isn't a regular file).
Result<std::shared_ptr<const platform::MappedFile>> map_file(const std::filesystem::path& path);

}  // namespace muster::graph::onnx
