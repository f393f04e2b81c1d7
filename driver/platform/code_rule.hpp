// code_rule.hpp - decides from facts of a path whether the code in it may be run; and reads the facts, for may_run.hpp.
//
// Whoever may change a file that a process opens as code runs code in that process. So everyone who may
// change the file, or a folder above it, must be one who runs code in the process already: its user,
// root, the owner of the module that asks, and whoever else may change that module or a folder above
// it. Internal to driver/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::platform {

/// A file, or a folder above it, as the system describes it.
struct PathPart {
    std::string path;
    std::uint32_t owner = 0, group = 0;
    std::uint32_t mode = 0;  // permissions and the sticky bit
    bool has_acl = false;    // users whom its access control list names may write, too, if its group may
};

/// How this process was started.
struct ProcessRights {
    std::uint32_t user = 0;  // the effective one
    std::uint32_t real_user = 0;
    /// True if the process has, or may take back, rights that its real user doesn't have.
    bool has_foreign_rights = false;
    /// In a user namespace that leaves some users out: the number that files of all
    /// these have, usually 65534.
    std::optional<std::uint32_t> unmapped;
};

/// True if nobody but this user is a member of the group.
using HasNoOtherMember = std::function<bool(std::uint32_t group, std::uint32_t owner)>;

/// The users who may change code that the process runs.
struct CodeRule {
    std::uint32_t user = 0;
    std::vector<std::uint32_t> owners, groups;
    bool everyone = false;       // others may write where the asking module is
    bool users_of_acls = false;  // so may users of an access control list
    std::optional<std::uint32_t> unmapped;
    HasNoOtherMember has_no_other_member;
};

/// The rule for a process. `modules`: for each module that asks, its folders from the root on and its file at
/// the end. If the process has foreign rights, those who may change the folders don't count: a program's
/// rights don't go with a copy of it, or with a second name in a folder of somebody else's.
CodeRule code_rule(const ProcessRights& process, std::span<const std::vector<PathPart>> modules,
                   HasNoOtherMember has_no_other_member);

/// The reason why code in a file isn't run, and its fix; none if it may be. `parts`: the file's folders from
/// the root on, without links, and the file at the end.
std::optional<Error> why_not_run(std::span<const PathPart> parts, const CodeRule& rule);

/// True if the owner is the group's only member, from the texts of /etc/group and /etc/passwd. False for a
/// group that isn't there: a directory service may have any members for it.
bool has_no_other_member(std::string_view groups, std::string_view users, std::uint32_t group,
                         std::uint32_t owner);

/// The same of this machine's group.
bool is_member_of_nothing_else(std::uint32_t group, std::uint32_t owner);

ProcessRights process_rights();

/// The facts of a file and of the folders above it, from the root on. Errors: not_found, io_failed.
Result<std::vector<PathPart>> path_parts(const std::string& file);

}  // namespace muster::platform
