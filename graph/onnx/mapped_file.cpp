#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/graph/onnx/mapped_file.hpp>

namespace muster::graph::onnx {

std::unexpected<Error> unreadable(const std::filesystem::path& path, std::error_code error) {
    return fail(ErrorCode::io_failed,
                fmt::format("The file {} can't be read: {}.", printable(path.string()), error.message()));
}

Result<std::shared_ptr<const platform::MappedFile>> map_file(const std::filesystem::path& path) {
    auto mapped = platform::MappedFile::map(path);
    if (mapped) return *std::move(mapped);
    const std::error_code error = mapped.error();
    if (!error)
        return fail(ErrorCode::io_failed, fmt::format("{} isn't a regular file.", printable(path.string())));
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory)
        return fail(ErrorCode::not_found, fmt::format("There is no file {}.", printable(path.string())));
    return unreadable(path, error);
}

}  // namespace muster::graph::onnx
