#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <muster/driver/platform/code_rule.hpp>
#include <muster/driver/platform/environment_variable.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::platform {
namespace {

std::string text_of(const char* file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
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

}  // namespace

bool is_member_of_nothing_else(std::uint32_t group, std::uint32_t owner) {
    return has_no_other_member(text_of("/etc/group"), text_of("/etc/passwd"), group, owner);
}

ProcessRights process_rights() {
    static const std::optional<std::uint32_t> unmapped = unmapped_user();
    ProcessRights rights{.user = geteuid(), .real_user = getuid(), .unmapped = unmapped};
    rights.has_foreign_rights = has_foreign_rights() || geteuid() != getuid() || getegid() != getgid();
    uid_t real = 0, effective = 0, saved = 0;
    if (getresuid(&real, &effective, &saved) == 0 && saved != real) rights.has_foreign_rights = true;
    return rights;
}

Result<std::vector<PathPart>> path_parts(const std::string& file) {
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
        if ((part.mode & 020u) != 0)
            part.has_acl = getxattr(so_far.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
    }
    if (!error) return parts;
    return fail(error == std::errc::no_such_file_or_directory ? ErrorCode::not_found : ErrorCode::io_failed,
                fmt::format("Who may write to {} can't be found out: {}.", printable(file), error.message()),
                "check its permissions, and those of the folders above it");
}

}  // namespace muster::platform
