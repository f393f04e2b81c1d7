#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/artifact/model_artifact.hpp>

namespace muster::graph {
namespace {

std::unexpected<Error> unreadable(int error) {
    if (error == ENOENT || error == ENOTDIR) return fail(ErrorCode::not_found, "There is no such file.");
    return fail(ErrorCode::io_failed,
                fmt::format("The file can't be read: {}.", std::generic_category().message(error)));
}

/// A file's bytes. They may be written, which doesn't change the file: buffers are over memory that may.
struct Mapping {
    void* data = nullptr;
    std::size_t bytes = 0;
    Mapping(void* at, std::size_t count) : data(at), bytes(count) {}
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { munmap(data, bytes); }
};

Result<std::shared_ptr<Mapping>> map_open(int descriptor) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) return unreadable(errno);
    if (!S_ISREG(status.st_mode)) return fail(ErrorCode::io_failed, "It isn't a regular file.");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return fail(ErrorCode::invalid_argument, "The file is empty.");
    void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) return unreadable(errno);
    return std::make_shared<Mapping>(data, size);
}

Result<std::shared_ptr<Mapping>> map_file(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return unreadable(errno);
    auto mapped = map_open(descriptor);
    close(descriptor);
    return mapped;
}

}  // namespace

Result<ModelArtifact> load_model_artifact(const std::filesystem::path& path) {
    const auto step = [&] { return "reading " + printable(path.string()); };
    const std::shared_ptr<Mapping> mapping = TRY(during(step, map_file(path)));
    return during(step,
                  read_model_artifact({static_cast<std::byte*>(mapping->data), mapping->bytes}, mapping));
}

}  // namespace muster::graph
