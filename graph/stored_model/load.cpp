#include <system_error>

#include <fmt/format.h>

#include <muster/driver/platform/file.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/stored_model/model_artifact.hpp>

namespace muster::graph {
namespace {

Result<std::shared_ptr<const platform::MappedFile>> mapped(const std::filesystem::path& path) {
    // Buffers are over memory that may be written.
    auto file = platform::MappedFile::map(path, true);
    if (file && (*file)->bytes().empty()) return fail(ErrorCode::invalid_argument, "The file is empty.");
    if (file) return *std::move(file);
    const std::error_code error = file.error();
    if (!error) return fail(ErrorCode::io_failed, "It isn't a regular file.");
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory)
        return fail(ErrorCode::not_found, "There is no such file.");
    return fail(ErrorCode::io_failed, fmt::format("The file can't be read: {}.", error.message()));
}

}  // namespace

Result<ModelArtifact> load_model_artifact(const std::filesystem::path& path) {
    const auto step = [&] { return "reading " + printable(path.string()); };
    const auto file = TRY(during(step, mapped(path)));
    return during(step, read_model_artifact(file->bytes(), file));
}

}  // namespace muster::graph
