#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/helper/verdicts.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/support/file_descriptor.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace muster {
namespace {

/// The file's text before the verdict. The lengths separate subject and circumstances, whatever bytes they contain.
std::string head(std::string_view subject, std::string_view circumstances) {
    static constexpr AbiText build = abi_fingerprint();
    return fmt::format("muster verdict 1\n{}\n{} {}\n{}\n{}\n", build.view(), subject.size(),
                       circumstances.size(), subject, circumstances);
}

/// The file's text after the verdict: a checksum of everything before it, which a truncated file doesn't match.
std::string tail(std::string_view before) {
    return fmt::format("\n{:016x}\n", XXH3_64bits(before.data(), before.size()));
}

/// Reads a whole file; none if it isn't a regular file or is longer. Opens with O_NONBLOCK, because opening a FIFO would
/// wait.
std::optional<std::string> read_all(const std::string& path, std::size_t most_bytes) {
    const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat is {};
    if (file.number() < 0 || fstat(file.number(), &is) != 0 || !S_ISREG(is.st_mode)) return std::nullopt;
    if (is.st_size < 0 || static_cast<std::uint64_t>(is.st_size) > most_bytes) return std::nullopt;
    std::string text(static_cast<std::size_t>(is.st_size), '\0');
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = read(file.number(), text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return std::nullopt;
        done += static_cast<std::size_t>(count);
    }
    return text;
}

/// True if the process may write a file of this size: writing beyond its limit raises SIGXFSZ, which ends the process.
bool may_have(std::size_t bytes) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(file, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace

const Verdicts& Verdicts::process() {
    static const auto* const shared = new Verdicts(cache_folder().value_or(""));  // probes may outlive main
    return *shared;
}

std::string Verdicts::path(std::string_view subject) const {
    return fmt::format("{}/verdict-{:016x}", folder_, XXH3_64bits(subject.data(), subject.size()));
}

std::optional<std::string> Verdicts::find(std::string_view subject, std::string_view circumstances) const {
    if (folder_.empty()) return std::nullopt;
    const std::string begin = head(subject, circumstances);
    const std::size_t around = begin.size() + tail({}).size();
    const auto text = read_all(path(subject), around + most_bytes);
    if (!text || text->size() < around) return std::nullopt;
    const std::string_view before = std::string_view(*text).substr(0, text->size() - tail({}).size());
    if (!text->starts_with(begin) || text->substr(before.size()) != tail(before)) return std::nullopt;
    return std::string(before.substr(begin.size()));
}

void Verdicts::keep(std::string_view subject, std::string_view circumstances,
                    std::string_view verdict) const {
    if (folder_.empty() || verdict.size() > most_bytes) return;
    std::string text = head(subject, circumstances).append(verdict);
    text += tail(text);
    if (!may_have(text.size())) return;
    std::error_code failed;
    if (std::filesystem::create_directories(folder_, failed); failed) return;
    const std::string to = path(subject);
    std::string unfinished = to + ".XXXXXX";
    const FileDescriptor file(mkostemp(unfinished.data(), O_CLOEXEC));
    if (file.number() < 0) return;
    const bool is_whole = write_all(file.number(), text);
    if (is_whole) std::filesystem::rename(unfinished, to, failed);
    if (!is_whole || failed) std::filesystem::remove(unfinished, failed);
}

}  // namespace muster
