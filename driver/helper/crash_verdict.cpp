#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <muster/driver/helper/crash_verdict.hpp>
#include <muster/driver/helper/fatal_signals.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/driver/support/module_of.hpp>

namespace muster {
namespace {

constexpr std::chrono::hours longest_kept(24);

/// A text that identifies the file at this path and changes with it: its inode, size and times.
std::string stamp(const std::string& path) {
    struct stat is {};
    if (stat(path.c_str(), &is) != 0) return fmt::format("{} isn't there", path);
    return fmt::format("{} {} {} {}.{:09} {}.{:09}", path, is.st_ino, is.st_size, is.st_mtim.tv_sec,
                       is.st_mtim.tv_nsec, is.st_ctim.tv_sec, is.st_ctim.tv_nsec);
}

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::int64_t seconds_now() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

/// The files that lines of /proc/PID/maps name.
std::set<std::string> mapped_files(std::string_view maps) {
    std::set<std::string> files;
    std::istringstream lines{std::string(maps)};
    for (std::string line; std::getline(lines, line);)
        if (const auto path = line.find('/'); path != line.npos && !line.substr(path).starts_with("/dev/"))
            files.insert(line.substr(path));
    return files;
}

}  // namespace

std::string signal_text(int signal) {
    const auto known = std::ranges::find(fatal_signals, signal, &FatalSignal::number);
    return known == fatal_signals.end() ? fmt::format("signal {}", signal)
                                        : fmt::format("signal {} ({})", signal, known->text);
}

CrashVerdict::CrashVerdict(const Verdicts& verdicts, const std::string& id, const std::string& module,
                           const std::string& helper)
    : verdicts_(verdicts), subject_(fmt::format("isolated probe of {} in {}", id, module)) {
    // The boot stands for the kernel and its drivers; installing a library rewrites the loader's cache.
    circumstances_ = fmt::format("{}\n{}\n{}\nboot {}\n{}\n{}", stamp(module), stamp(helper),
                                 stamp(driver_module()), first_line("/proc/sys/kernel/random/boot_id"),
                                 stamp("/etc/ld.so.cache"), fmt::join(whole_environment(), "\n"));
}

// A verdict is a line with the signal and the time, then two lines per mapped file: its path and its stamp.
std::optional<int> CrashVerdict::find() const {
    const auto kept = verdicts_.find(subject_, circumstances_);
    if (!kept) return std::nullopt;
    std::istringstream lines(*kept);
    int signal = 0;
    std::int64_t when = 0;
    lines >> signal >> when;
    const std::int64_t age = seconds_now() - when;
    if (!lines || age < 0 || age > std::chrono::seconds(longest_kept).count()) return std::nullopt;
    lines.ignore();
    for (std::string was, path; std::getline(lines, path) && std::getline(lines, was);)
        if (stamp(path) != was) return std::nullopt;
    return signal;
}

void CrashVerdict::keep(int signal, std::string_view report) const {
    if (std::ranges::find(fatal_signals, signal, &FatalSignal::number) == fatal_signals.end()) return;
    if (!report.starts_with(crash_heading)) return;
    const auto files = mapped_files(report.substr(crash_heading.size()));
    if (files.empty()) return;
    std::string verdict = fmt::format("{} {}\n", signal, seconds_now());
    for (const std::string& file : files) verdict += fmt::format("{}\n{}\n", file, stamp(file));
    verdicts_.keep(subject_, circumstances_, verdict);
}

}  // namespace muster
