#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/platform/code_rule.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::platform {
namespace {

constexpr std::uint32_t root = 0, sticky = 01000, written_by_group = 020, written_by_others = 02;

bool holds(std::span<const std::uint32_t> all, std::uint32_t one) {
    return std::ranges::find(all, one) != all.end();
}

std::string mode_text(const PathPart& part) { return fmt::format("mode {:04o}", part.mode & 07777u); }

/// The fields of a line of /etc/passwd or /etc/group.
std::array<std::string_view, 4> fields_of(std::string_view line) {
    std::array<std::string_view, 4> fields;
    for (std::string_view& field : fields) {
        const auto colon = line.find(':');
        field = line.substr(0, colon);
        line.remove_prefix(colon == line.npos ? line.size() : colon + 1);
    }
    return fields;
}

template <class Each>
void for_each_line(std::string_view text, Each each) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        each(fields_of(text.substr(0, end)));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
}

bool is_number(std::string_view field, std::uint32_t number) {
    std::uint32_t value = 0;
    const auto [end, failed] = std::from_chars(field.data(), field.data() + field.size(), value);
    return failed == std::errc() && end == field.data() + field.size() && value == number;
}

}  // namespace

CodeRule code_rule(const ProcessRights& process, std::span<const std::vector<PathPart>> modules,
                   HasNoOtherMember has_no_other_member) {
    CodeRule rule{.user = process.user,
                  .owners = {root},
                  .groups = {},
                  .unmapped = process.unmapped,
                  .has_no_other_member = std::move(has_no_other_member)};
    // With foreign rights, the effective user counts if the rights are that user's own. A real user who is
    // root has lent root's rights to the effective one, and may take them back.
    if (!process.has_foreign_rights || (process.user != process.real_user && process.real_user != root))
        rule.owners.push_back(process.user);
    const auto add_owner = [&](const PathPart& part) {  // the number of unmapped users is anybody's
        if (process.unmapped != part.owner) rule.owners.push_back(part.owner);
    };
    for (const std::vector<PathPart>& module : modules) {
        if (module.empty()) continue;
        add_owner(module.back());
        if (process.has_foreign_rights) continue;
        for (const PathPart& part : module) {
            add_owner(part);
            if (&part != &module.back() && (part.mode & sticky) != 0) continue;
            if ((part.mode & written_by_others) != 0) rule.everyone = true;
            if ((part.mode & written_by_group) == 0) continue;
            rule.groups.push_back(part.group);
            rule.users_of_acls = rule.users_of_acls || part.has_acl;
        }
    }
    return rule;
}

std::optional<Error> why_not_run(std::span<const PathPart> parts, const CodeRule& rule) {
    const auto wrong = [](std::string message, std::string fix) {
        return Error{ErrorCode::refused, std::move(message), std::move(fix), {}};
    };
    bool anyone_makes = false;  // others may make what is in the folder before this part
    for (const PathPart& part : parts) {
        const std::string path = printable(part.path);
        // Files that read as nobody's are root's, or any other user's that the namespace leaves out. Where
        // anyone may make files, they may be a stranger's.
        const bool is_of_unmapped = rule.unmapped == part.owner && !anyone_makes;
        if (!holds(rule.owners, part.owner) && !is_of_unmapped)
            return wrong(fmt::format("{} belongs to user {}, whose code would run as user {}.", path,
                                     part.owner, rule.user),
                         fmt::format("keep it in a folder of your own, or make it yours (chown {} {})",
                                     rule.user, path));
        const bool is_folder = &part != &parts.back();
        anyone_makes = is_folder && (part.mode & written_by_others) != 0;
        if (is_folder && (part.mode & sticky) != 0) continue;  // the owner of the next part alone replaces it
        if ((part.mode & written_by_others) != 0 && !rule.everyone)
            return wrong(fmt::format("Every user may write to {} ({}).", path, mode_text(part)),
                         fmt::format("chmod o-w {}", path));
        if ((part.mode & written_by_group) == 0) continue;
        if (part.has_acl && !rule.users_of_acls)
            return wrong(fmt::format("The access control list of {} lets others write to it.", path),
                         fmt::format("remove that (setfacl -b {})", path));
        if (!holds(rule.groups, part.group) && !rule.has_no_other_member(part.group, part.owner))
            return wrong(fmt::format("The members of group {} may write to {} ({}).", part.group, path,
                                     mode_text(part)),
                         fmt::format("chmod g-w {}", path));
    }
    return std::nullopt;
}

bool has_no_other_member(std::string_view groups, std::string_view users, std::uint32_t group,
                         std::uint32_t owner) {
    std::string_view members;
    bool is_known = false, has_others = false;
    for_each_line(groups, [&](const auto& fields) {
        const auto [name, password, number, list] = fields;
        // Directory services commonly give their users this group, without being listed here.
        if (!is_number(number, group) || name == "users") return;
        is_known = true;
        members = list;
    });
    std::string_view owner_name;
    for_each_line(users, [&](const auto& fields) {
        const auto [name, password, user, first_group] = fields;
        if (is_number(user, owner)) owner_name = name;
        if (is_number(first_group, group) && !is_number(user, owner)) has_others = true;
    });
    while (!members.empty()) {
        const auto comma = members.find(',');
        if (members.substr(0, comma) != owner_name) has_others = true;
        members.remove_prefix(comma == members.npos ? members.size() : comma + 1);
    }
    return is_known && !has_others;
}

}  // namespace muster::platform
