#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/graph/onnx/mapped_file.hpp>

namespace muster::graph::onnx {
namespace {

std::unexpected<Error> unreadable(const std::filesystem::path& path, int error) {
    const std::string file = printable(path.string());
    if (error == ENOENT || error == ENOTDIR) {
        return fail(ErrorCode::not_found, fmt::format("There is no file {}.", file));
    }
    return fail(ErrorCode::io_failed,
                fmt::format("The file {} can't be read: {}.", file, std::generic_category().message(error)));
}

Result<std::shared_ptr<const MappedFile>> map_open(int descriptor, const std::filesystem::path& path) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) return unreadable(path, errno);
    if (!S_ISREG(status.st_mode)) {
        return fail(ErrorCode::io_failed, fmt::format("{} isn't a regular file.", printable(path.string())));
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* data = nullptr;
    if (size > 0) {
        data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (data == MAP_FAILED) return unreadable(path, errno);
    }
    return std::make_shared<const MappedFile>(data, size);
}

}  // namespace

MappedFile::~MappedFile() {
    if (data_) munmap(data_, size_);
}

Result<std::shared_ptr<const MappedFile>> map_file(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return unreadable(path, errno);
    auto mapped = map_open(descriptor, path);
    close(descriptor);
    return mapped;
}

}  // namespace muster::graph::onnx
