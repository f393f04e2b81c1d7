#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/support/code_rule.hpp>
#include <muster/driver/support/environment_variable.hpp>
#include <muster/driver/support/may_run.hpp>
#include <muster/driver/support/module_of.hpp>
#include <muster/foundation/base/printable.hpp>

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/xattr.h>
#endif

namespace muster {

#if !defined(_WIN32)

namespace {

std::string text_of(const char* file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_member_of_nothing_else(std::uint32_t group, std::uint32_t owner) {
    return has_no_other_member(text_of("/etc/group"), text_of("/etc/passwd"), group, owner);
}

/// The number that files of users without one in this namespace have; none if all users have one.
std::optional<std::uint32_t> unmapped_user() {
    std::ifstream map("/proc/self/uid_map");
    std::uint64_t first = 0, outside = 0, count = 0, all = 0;
    while (map >> first >> outside >> count) all += count;
    if (all == 0 || all >= UINT32_MAX) return std::nullopt;
    std::uint32_t overflow = 65534;
    std::ifstream("/proc/sys/kernel/overflowuid") >> overflow;
    return overflow;
}

ProcessRights process_rights() {
    static const std::optional<std::uint32_t> unmapped = unmapped_user();
    ProcessRights rights{.user = geteuid(), .real_user = getuid(), .unmapped = unmapped};
    rights.has_foreign_rights = has_foreign_rights() || geteuid() != getuid() || getegid() != getgid();
#if defined(__linux__)
    uid_t real = 0, effective = 0, saved = 0;
    if (getresuid(&real, &effective, &saved) == 0 && saved != real) rights.has_foreign_rights = true;
#endif
    return rights;
}

/// The facts of a file and of the folders above it, from the root on. Errors: the system's.
Result<std::vector<PathPart>> parts_of(const std::string& file) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(file, error);
    std::vector<PathPart> parts;
    std::filesystem::path so_far;
    for (const std::filesystem::path& name : error ? std::filesystem::path() : real) {
        so_far /= name;
        struct stat is {};
        if (lstat(so_far.c_str(), &is) != 0) {
            error = std::error_code(errno, std::generic_category());
            break;
        }
        PathPart& part =
            parts.emplace_back(PathPart{so_far.string(), is.st_uid, is.st_gid, is.st_mode & 07777u});
#if defined(__linux__)
        if ((part.mode & 020u) != 0)
            part.has_acl = getxattr(so_far.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
#endif
    }
    if (!error) return parts;
    return fail(error == std::errc::no_such_file_or_directory ? ErrorCode::not_found : ErrorCode::io_failed,
                fmt::format("Who may write to {} can't be found out: {}.", printable(file), error.message()),
                "check its permissions, and those of the folders above it");
}

/// The rule for this process and module, made once: what its module's folders allowed at the
/// time of the first question.
CodeRule rule_of(const std::string& module) {
    static std::mutex mutex;
    static auto* const rules = new std::map<std::tuple<std::string, std::uint32_t, bool>, CodeRule>;
    const ProcessRights process = process_rights();
    const std::lock_guard lock(mutex);
    const auto [slot, is_new] = rules->try_emplace({module, process.user, process.has_foreign_rights});
    if (!is_new) return slot->second;
    std::vector<std::vector<PathPart>> modules;
    for (const std::string& one : {module, driver_module(), program_path()})
        if (auto parts = one.empty() ? Result<std::vector<PathPart>>() : parts_of(one); parts)
            modules.push_back(*std::move(parts));
    return slot->second = code_rule(process, modules, is_member_of_nothing_else);
}

}  // namespace

std::optional<Error> why_not_run(const std::string& file, const std::string& module) {
    const auto parts = parts_of(file);
    if (!parts && parts.error().code == ErrorCode::not_found) return std::nullopt;
    if (!parts) return parts.error();
    return why_not_run(*parts, rule_of(module));
}

#else

std::optional<Error> why_not_run(const std::string&, const std::string&) { return std::nullopt; }

#endif

namespace {

struct PassedOver {
    std::mutex mutex;
    std::map<std::string, Error> files;
};
PassedOver& all_passed_over() {
    static auto* const shared = new PassedOver;
    return *shared;
}

}  // namespace

std::optional<Error> passed_over(const std::string& file, const std::string& module) {
    auto why = why_not_run(file, module);
    if (why) why->message = fmt::format("{} isn't used: {}", printable(file), why->message);
    PassedOver& all = all_passed_over();
    const std::lock_guard lock(all.mutex);
    if (why)
        all.files.insert_or_assign(file, *why);
    else
        all.files.erase(file);
    return why;
}

std::vector<Error> code_passed_over() {
    PassedOver& all = all_passed_over();
    const std::lock_guard lock(all.mutex);
    std::vector<Error> errors;
    for (const auto& [file, error] : all.files) errors.push_back(error);
    return errors;
}

}  // namespace muster
