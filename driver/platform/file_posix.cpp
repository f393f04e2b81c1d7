#include <algorithm>
#include <cerrno>

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/driver/platform/file.hpp>

namespace muster::platform {

int FileDescriptor::close() {
    const int number = release();
    return number < 0 || ::close(number) == 0 ? 0 : errno;
}

FileDescriptor open_for_reading(const std::filesystem::path& path) {
    return FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

FileDescriptor open_for_writing(const std::filesystem::path& path) {
    return FileDescriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
}

int write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(file, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

std::expected<std::shared_ptr<const MappedFile>, std::error_code> MappedFile::map(
    const std::filesystem::path& path, bool is_writable) {
    const auto failed = [](int error) {
        return std::unexpected(std::error_code(error, std::generic_category()));
    };
    const FileDescriptor file = open_for_reading(path);
    struct stat status {};
    if (file.number() < 0 || fstat(file.number(), &status) != 0) return failed(errno);
    if (!S_ISREG(status.st_mode)) return failed(0);
    const auto size = static_cast<std::size_t>(status.st_size);
    void* data = nullptr;
    if (size > 0) {
        const int access = is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
        data = mmap(nullptr, size, access, MAP_PRIVATE, file.number(), 0);
        if (data == MAP_FAILED) return failed(errno);
    }
    return std::make_shared<const MappedFile>(data, size);
}

MappedFile::~MappedFile() {
    if (data_) munmap(data_, size_);
}

std::optional<FileStatus> file_status(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return std::nullopt;
    return FileStatus{{static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)},
                      static_cast<std::uint64_t>(status.st_size),
                      std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec};
}

std::optional<FileIdentity> file_identity(const std::string& path) {
    const auto status = file_status(path);
    return status ? std::optional(status->identity) : std::nullopt;
}

int for_each_name(const std::string& folder, const std::function<void(std::string_view)>& each) {
    DIR* const opened = opendir(folder.c_str());
    if (opened == nullptr) return errno;
    errno = 0;
    while (const dirent* file = readdir(opened)) {
        each(std::string_view(file->d_name));
        errno = 0;
    }
    const int error = errno;
    closedir(opened);
    return error;
}

void read_ahead(std::span<const std::string> libraries) {
    constexpr off_t head = 64 << 10;   // the file's header
    constexpr off_t tail = 192 << 10;  // records, section names, section table
    for (const std::string& path : libraries) {
        const FileDescriptor file = open_for_reading(path);
        struct stat is {};
        if (file.number() < 0 || fstat(file.number(), &is) != 0 || !S_ISREG(is.st_mode)) continue;
        posix_fadvise(file.number(), 0, head, POSIX_FADV_WILLNEED);
        if (is.st_size > head)
            posix_fadvise(file.number(), std::max(head, is.st_size - tail), tail, POSIX_FADV_WILLNEED);
    }
}

bool name_matches(const std::string& pattern, const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

}  // namespace muster::platform
