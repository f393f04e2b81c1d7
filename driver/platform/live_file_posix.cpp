#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/driver/platform/live_file.hpp>

namespace muster::platform {
namespace {

/// Removes a regular file that no process has open as a LiveFile. Returns 0, or an errno.
int remove_old(const std::string& path) {
    const FileDescriptor old(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (old.number() < 0) return errno == ENOENT ? 0 : errno == ELOOP ? EEXIST : errno;
    struct stat status {};
    if (fstat(old.number(), &status) != 0) return errno;
    if (!S_ISREG(status.st_mode)) return EEXIST;
    if (flock(old.number(), LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? EBUSY : errno;
    return unlink(path.c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

}  // namespace

std::expected<LiveFile, std::error_code> LiveFile::create(const std::string& path, std::uint64_t most_bytes) {
    const auto failed = [](int error) {
        return std::unexpected(std::error_code(error, std::generic_category()));
    };
    constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    FileDescriptor file(open(path.c_str(), flags, 0666));
    if (file.number() < 0 && errno == EEXIST) {
        if (const int error = remove_old(path); error != 0) return failed(error);
        file = FileDescriptor(open(path.c_str(), flags, 0666));
    }
    if (file.number() < 0) return failed(errno);
    if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) return failed(errno);
    void* const memory =
        mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.number(), 0);
    if (memory == MAP_FAILED) return failed(errno);
    return LiveFile(std::move(file), {static_cast<char*>(memory), most_bytes});
}

LiveFile::~LiveFile() {
    if (!memory_.empty()) munmap(memory_.data(), memory_.size());
}

int LiveFile::append(std::string_view text) {
    // Beyond these limits lie signals, not errors.
    rlimit most{};
    const std::uint64_t end = bytes_ + text.size();
    if (end > memory_.size() || (getrlimit(RLIMIT_FSIZE, &most) == 0 && end > most.rlim_cur)) return EFBIG;
    for (std::uint64_t at = bytes_; at < end;) {
        const ssize_t written = pwrite(file_.number(), text.data() + (at - bytes_),
                                       static_cast<std::size_t>(end - at), static_cast<off_t>(at));
        if (written > 0) {
            at += static_cast<std::uint64_t>(written);
        } else if (written == 0 || errno != EINTR) {
            const int error = written == 0 ? ENOSPC : errno;
            cut(bytes_);
            return error;
        }
    }
    bytes_ = end;
    return 0;
}

void LiveFile::cut(std::uint64_t bytes) {
    if (ftruncate(file_.number(), static_cast<off_t>(bytes)) == 0) bytes_ = bytes;
}

}  // namespace muster::platform
