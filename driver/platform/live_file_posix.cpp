#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/driver/platform/live_file.hpp>

namespace muster::platform {
namespace {

std::unexpected<std::error_code> failed(int error) {
    return std::unexpected(std::error_code(error, std::generic_category()));
}

/// Opens and locks what is there, if it may be replaced. Without a file of that name: no descriptor.
std::expected<FileDescriptor, std::error_code> lock_old(const std::string& path, std::string_view kind) {
    FileDescriptor old(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (old.number() < 0) {
        if (errno == ENOENT) return old;
        return failed(errno == ELOOP || errno == EISDIR || errno == ENXIO ? EEXIST : errno);
    }
    struct stat status {};
    if (fstat(old.number(), &status) != 0) return failed(errno);
    if (!S_ISREG(status.st_mode)) return failed(EEXIST);
    if (flock(old.number(), LOCK_EX | LOCK_NB) != 0) return failed(errno == EWOULDBLOCK ? EBUSY : errno);
    std::string beginning(kind.size(), '\0');
    const ssize_t count = pread(old.number(), beginning.data(), beginning.size(), 0);
    if (count < 0) return failed(errno);
    if (count != 0 && beginning != kind) return failed(EEXIST);
    return old;
}

/// Removes a file whose making failed, unless it is kept.
class Unfinished {
  public:
    explicit Unfinished(std::string path) : path_(std::move(path)) {}
    ~Unfinished() {
        if (!path_.empty()) unlink(path_.c_str());
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    void keep() { path_.clear(); }

  private:
    std::string path_;
};

}  // namespace

std::expected<LiveFile, std::error_code> LiveFile::create(const std::string& path, std::uint64_t most_bytes,
                                                          std::string_view content, std::string_view kind) {
    const auto old = lock_old(path, kind);
    if (!old) return std::unexpected(old.error());
    // The old file stays until the new one is whole, and is locked until it is replaced.
    const bool replaces = old->number() >= 0;
    const std::string made = replaces ? path + "." + std::to_string(getpid()) : path;
    FileDescriptor file(open(made.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file.number() < 0) return failed(!replaces && errno == EEXIST ? EBUSY : errno);  // another was faster
    Unfinished unfinished(made);
    if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) return failed(errno);
    void* const memory =
        mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.number(), 0);
    if (memory == MAP_FAILED) return failed(errno);
    LiveFile live(std::move(file), {static_cast<char*>(memory), most_bytes});
    if (const int error = live.append(content); error != 0) return failed(error);
    if (replaces && rename(made.c_str(), path.c_str()) != 0) return failed(errno);
    unfinished.keep();
    return live;
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
