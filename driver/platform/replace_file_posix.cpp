#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/driver/platform/file.hpp>
#include <muster/driver/platform/replace_file.hpp>

namespace muster::platform {
namespace {

constexpr int most_links = 40;      // the kernel's own limit on symbolic links
constexpr int most_attempts = 100;  // tried for the temporary file

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<struct stat> stat_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return {};
    return info;
}

/// True for standard output under another name, for instance /dev/stdout redirected to a file. That file is
/// already open and must be written through stdout.
bool is_standard_output(const struct stat& info) {
    struct stat output {};
    return ::fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == info.st_dev &&
           output.st_ino == info.st_ino;
}

/// True for names of open descriptors, such as /dev/fd/3.
bool names_a_descriptor(const std::string& path) {
    return path.starts_with("/dev/fd/") || path.starts_with("/proc/") || path == "/dev/stderr";
}

/// Follows a chain of symbolic links; the target needn't exist.
std::filesystem::path followed(std::filesystem::path path) {
    std::error_code error;
    for (int i = 0; i < most_links && std::filesystem::is_symlink(path, error); ++i) {
        const std::filesystem::path to = std::filesystem::read_symlink(path, error);
        if (error) break;
        path = to.is_absolute() ? to : path.parent_path() / to;
    }
    return path;
}

int write_as_it_is(const std::string& path, std::span<const std::byte> bytes) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (file.number() < 0) return errno;
    if (const int error = write_all(file.number(), text_of(bytes)); error != 0) return error;
    return file.close();
}

/// Reserves disk space where the file system can. The error: there is no space.
int reserve(int file, off_t size) {
    const int error = size > 0 ? ::posix_fallocate(file, 0, size) : 0;
    return error == ENOSPC || error == EDQUOT || error == EFBIG ? error : 0;  // others: not supported
}

/// Overwrites in place, after reserving disk space for the new content; until then the old content stays.
int overwrite(const std::string& path, std::span<const std::byte> bytes, off_t old_bytes) {
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.number() < 0) return errno;
    const auto size = static_cast<off_t>(bytes.size());
    if (const int error = reserve(file.number(), size); error != 0) {
        (void)!::ftruncate(file.number(), old_bytes);
        return error;
    }
    if (const int error = write_all(file.number(), text_of(bytes)); error != 0) return error;
    if (::ftruncate(file.number(), size) != 0) return errno;
    return file.close();
}

/// Creates a temporary file beside `target`, with the old file's permissions. `name` gets its path.
FileDescriptor create_beside(const std::filesystem::path& target, const std::optional<struct stat>& old,
                             std::string& name) {
    for (int i = 0; i < most_attempts; ++i) {
        name = (target.parent_path() / fmt::format(".muster-{}-{}.tmp", ::getpid(), i)).string();
        const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno == EEXIST) continue;
        if (file >= 0 && old) (void)!::fchmod(file, old->st_mode & 07777);
        return FileDescriptor(file);
    }
    errno = EEXIST;
    return FileDescriptor(-1);
}

int replace(const std::filesystem::path& target, std::span<const std::byte> bytes,
            const std::optional<struct stat>& old) {
    std::string name;
    FileDescriptor file = create_beside(target, old, name);
    if (file.number() < 0) return errno;
    int error = write_all(file.number(), text_of(bytes));
    if (error == 0) error = file.close();
    if (error == 0 && ::rename(name.c_str(), target.c_str()) != 0) error = errno;
    if (error != 0) (void)::unlink(name.c_str());
    return error;
}

bool can_be_replaced(const std::filesystem::path& target, const struct stat& old) {
    const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
    return old.st_nlink == 1 && old.st_uid == ::geteuid() && why_not_writable(folder) == 0;
}

}  // namespace

int write_standard_output(std::span<const std::byte> bytes) {
    const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
    return is_written && std::fflush(stdout) == 0 ? 0 : errno;
}

int why_not_writable(const std::string& path) { return ::access(path.c_str(), W_OK) == 0 ? 0 : errno; }

int replace_file(const std::string& path, std::span<const std::byte> bytes) {
    const std::optional<struct stat> old = stat_of(path);
    if (!old) return errno == ENOENT ? replace(followed(path), bytes, old) : errno;
    if (is_standard_output(*old)) return write_standard_output(bytes);
    if (!S_ISREG(old->st_mode) || names_a_descriptor(path)) return write_as_it_is(path, bytes);
    if (const int error = why_not_writable(path); error != 0) return error;
    const std::filesystem::path target = followed(path);
    if (!can_be_replaced(target, *old)) return overwrite(path, bytes, old->st_size);
    const int error = replace(target, bytes, old);
    // For instance a file that is a mount point.
    return error == EBUSY ? overwrite(path, bytes, old->st_size) : error;
}

}  // namespace muster::platform
