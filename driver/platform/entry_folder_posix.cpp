#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/driver/platform/entry_folder.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::platform {
namespace {

constexpr std::string_view unfinished_prefix = "new-";

std::unexpected<Error> failed(const std::string& path, std::string_view what, int code) {
    return fail(ErrorCode::io_failed,
                fmt::format("The cache's folder {} can't be {}: {}.", path, what,
                            std::generic_category().message(code)),
                "make it accessible, or set MUSTER_CACHE_DIR to another folder");
}

/// The reason why others may have written to the folder, or may read it; empty if it is ours alone.
std::string why_not_ours(const struct stat& is) {
    if (is.st_uid != geteuid())
        return fmt::format("it belongs to user {}, and this process runs as {}", is.st_uid, geteuid());
    if ((is.st_mode & 077u) != 0) return fmt::format("its mode is {:04o}", is.st_mode & 07777u);
    return {};
}

/// True if the process may write a file of this size: writing beyond its limit raises
/// SIGXFSZ, which ends the process.
bool may_have(std::size_t bytes) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

/// Reads up to `text.size()` bytes and cuts the text to what was read. False if the file can't be read.
bool read_into(int file, std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = ::read(file, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    text.resize(done);
    return true;
}

/// Opens without waiting and without following a link: opening a FIFO would wait.
FileDescriptor open_entry(int folder, const std::string& name) {
    return FileDescriptor(
        openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
}

/// Sets the time of last use to now, unless it was within the last minute.
void note_use(int file, const struct stat& is) {
    std::timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec - is.st_mtim.tv_sec >= 60 || now.tv_sec < is.st_mtim.tv_sec) futimens(file, nullptr);
}

}  // namespace

bool is_unfinished(std::string_view name) {
    if (!name.starts_with(unfinished_prefix)) return false;
    name.remove_prefix(unfinished_prefix.size());
    return std::ranges::count(name, '-') == 2 && name.find("--") == name.npos && !name.starts_with('-') &&
           !name.ends_with('-') && name.find_first_not_of("0123456789-") == name.npos;
}

Result<EntryFolder> EntryFolder::open(const std::string& folder, const std::string& name) {
    const std::string path = folder + "/" + name;
    FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat is {};
    if (opened.number() < 0 && errno == ENOENT)
        return fail(ErrorCode::not_found, fmt::format("The cache's folder {} isn't there.", path));
    if (opened.number() < 0 && (errno == ELOOP || errno == ENOTDIR))
        return fail(ErrorCode::refused,
                    fmt::format("The cache's folder {} isn't used: it is a link, or no folder.", path),
                    "remove it, or set MUSTER_CACHE_DIR to another folder");
    if (opened.number() < 0 || fstat(opened.number(), &is) != 0) return failed(path, "opened", errno);
    if (const std::string why = why_not_ours(is); !why.empty())
        return fail(
            ErrorCode::refused,
            fmt::format("The cache's folder {} isn't used, because others may have written to it: {}.", path,
                        why),
            "remove it, or set MUSTER_CACHE_DIR to a folder of your own");
    return EntryFolder(path, std::move(opened));
}

Result<EntryFolder> EntryFolder::make(const std::string& folder, const std::string& name) {
    auto opened = open(folder, name);
    if (opened || opened.error().code != ErrorCode::not_found) return opened;
    std::error_code code;
    std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), code);
    std::filesystem::path each = folder;
    if (mkdir(each.c_str(), 0700) != 0 && errno != EEXIST) return failed(each, "made", errno);
    for (const std::filesystem::path& part : std::filesystem::path(name))
        if (mkdir((each /= part).c_str(), 0700) != 0 && errno != EEXIST) return failed(each, "made", errno);
    return open(folder, name);
}

Result<std::vector<EntryFolder::File>> EntryFolder::files() const {
    // A descriptor of its own: reading a folder moves its position.
    const int again = openat(descriptor_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(again < 0 ? nullptr : fdopendir(again), closedir);
    if (!entries) return failed(path_, "read", errno);
    std::vector<File> found;
    while (const dirent* entry = readdir(entries.get())) {
        struct stat is {};
        if (fstatat(descriptor_.number(), entry->d_name, &is, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(is.st_mode))
            continue;
        found.push_back({entry->d_name, static_cast<std::uint64_t>(is.st_size), is.st_mtim});
    }
    return found;
}

std::optional<std::string> EntryFolder::read(const std::string& name, std::uint64_t most_bytes) const {
    const FileDescriptor file = open_entry(descriptor_.number(), name);
    struct stat is {};
    if (file.number() < 0 || fstat(file.number(), &is) != 0 || !S_ISREG(is.st_mode)) return std::nullopt;
    if (is.st_uid != geteuid() || is.st_size < 0) return std::nullopt;
    const auto bytes = static_cast<std::uint64_t>(is.st_size);
    if (bytes > most_bytes) return std::nullopt;
    try {
        std::string text(static_cast<std::size_t>(bytes), '\0');
        if (!read_into(file.number(), text) || text.size() != bytes) return std::nullopt;
        note_use(file.number(), is);
        return text;
    } catch (const std::bad_alloc&) {  // what isn't found is made anew, and may need less memory
        return std::nullopt;
    }
}

std::string EntryFolder::beginning(const std::string& name, std::uint64_t most_bytes) const {
    const FileDescriptor file = open_entry(descriptor_.number(), name);
    std::string text(static_cast<std::size_t>(most_bytes), '\0');
    if (file.number() < 0 || !read_into(file.number(), text)) text.clear();
    return text;
}

bool EntryFolder::write(const std::string& name, std::string_view bytes) const {
    if (!may_have(bytes.size())) return false;
    std::timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const std::string unfinished =
        fmt::format("{}{}-{}-{}", unfinished_prefix, getpid(), now.tv_sec, now.tv_nsec);
    const int folder = descriptor_.number();
    const FileDescriptor file(
        openat(folder, unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.number() < 0) return false;
    if (write_all(file.number(), bytes) == 0 &&
        renameat(folder, unfinished.c_str(), folder, name.c_str()) == 0)
        return true;
    remove(unfinished);
    return false;
}

bool EntryFolder::remove(const std::string& name) const {
    return unlinkat(descriptor_.number(), name.c_str(), 0) == 0 || errno == ENOENT;
}

}  // namespace muster::platform
