// Who may change a file, and whether its code is run: layouts as facts of their paths.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/driver/platform/code_rule.hpp>

using namespace muster;

namespace {

using Parts = std::vector<platform::PathPart>;

constexpr std::uint32_t root = 0, me = 1000, other = 1001, nobody = 65534;
const platform::ProcessRights mine{.user = me, .real_user = me}, of_root{};

const platform::PathPart top{"/", root, root, 0755}, usr{"/usr", root, root, 0755},
    tmp{"/tmp", root, root, 01777}, home{"/home", root, root, 0755};

/// A file in folders of the same owner, group and mode below `above`.
Parts below(Parts above, std::uint32_t owner, std::uint32_t group, std::uint32_t mode,
            const std::vector<std::string>& names) {
    for (const std::string& name : names)
        above.push_back({above.back().path + "/" + name, owner, group, mode});
    return above;
}

/// Groups with a member who isn't the owner.
std::vector<std::uint32_t> shared_groups;

platform::CodeRule rule_of(const platform::ProcessRights& process, const std::vector<Parts>& askers) {
    return platform::code_rule(process, askers, [](std::uint32_t group, std::uint32_t) {
        return std::ranges::find(shared_groups, group) == shared_groups.end();
    });
}

/// The reason why code isn't run, "" if it is.
std::string why(const platform::ProcessRights& process, const Parts& asker, const Parts& code) {
    const auto reason = platform::why_not_run(code, rule_of(process, {asker}));
    if (!reason) return {};
    CHECK(reason->code == ErrorCode::refused);
    CHECK_FALSE(reason->fix.empty());
    return reason->message;
}

const Parts installed = below({top, usr}, root, root, 0755, {"lib", "libmuster.so"});

struct SharedGroups {
    explicit SharedGroups(std::vector<std::uint32_t> groups) { shared_groups = std::move(groups); }
    ~SharedGroups() { shared_groups.clear(); }
};

}  // namespace

TEST_CASE("what another user planted beside a program of root's isn't run") {
    const Parts program = below({top, tmp}, root, root, 0755, {"x", "program"});
    CHECK(why(of_root, program, below({top, tmp}, nobody, nobody, 0755, {"lib", "muster", "evil.so"})) ==
          "/tmp/lib belongs to user 65534, whose code would run as user 0.");
    CHECK(why(of_root, below({top, tmp}, root, root, 0755, {"program"}),
              below({top, tmp}, nobody, nobody, 0755, {"evil.so"})) ==
          "/tmp/evil.so belongs to user 65534, whose code would run as user 0.");
    const platform::PathPart shared{"/shared", root, root, 0777};
    CHECK(why(of_root, below({top, shared}, root, root, 0755, {"program"}),
              below({top, shared}, nobody, nobody, 0666, {"evil.so"})) ==
          "/shared/evil.so belongs to user 65534, whose code would run as user 0.");
}

TEST_CASE("every part counts, with its owner and mode") {
    CHECK(why(mine, installed, below({top, home}, me, me, 0755, {"me", "x.so"})).empty());
    CHECK(why(mine, installed, below({top, home}, me, me, 0700, {"me", "x.so"})).empty());
    CHECK(why(mine, installed, below({top, home}, other, other, 0755, {"other", "x.so"})) ==
          "/home/other belongs to user 1001, whose code would run as user 1000.");
    Parts code = below({top, home}, me, me, 0755, {"me", "a", "x.so"});
    for (std::size_t i = 0; i < code.size(); ++i) {
        CAPTURE(i);
        Parts changed = code;
        changed[i].owner = other;
        CHECK(why(mine, installed, changed) ==
              code[i].path + " belongs to user 1001, whose code would run as user 1000.");
        changed = code;
        changed[i].mode = 0757;
        CHECK(why(mine, installed, changed) == "Every user may write to " + code[i].path + " (mode 0757).");
        changed[i].mode = 0777 | 01000;
        CHECK(why(mine, installed, changed).empty() == (i + 1 < code.size()));  // a file isn't sticky
        const SharedGroups shared({77});
        changed = code;
        changed[i].group = 77;
        changed[i].mode = 0775;
        CHECK(why(mine, installed, changed) ==
              "The members of group 77 may write to " + code[i].path + " (mode 0775).");
        changed[i].mode = 01775;
        CHECK(why(mine, installed, changed).empty() == (i + 1 < code.size()));
    }
}

TEST_CASE("the fix names what to change") {
    const auto fix = [](const Parts& code) {
        return platform::why_not_run(code, rule_of(mine, {installed})).value().fix;
    };
    CHECK(fix(below({top}, other, other, 0755, {"x.so"})) ==
          "keep it in a folder of your own, or make it yours (chown 1000 //x.so)");
    CHECK(fix(below({top, home}, me, me, 0757, {"x.so"})) == "chmod o-w /home/x.so");
    const SharedGroups shared({me});
    CHECK(fix(below({top, home}, me, me, 0775, {"x.so"})) == "chmod g-w /home/x.so");
}

TEST_CASE("a build below /tmp") {
    const Parts program = below({top, tmp}, me, me, 0755, {"build", "bin", "program"});
    CHECK(why(mine, program, below({top, tmp}, me, me, 0755, {"build", "lib", "x.so"})).empty());
    CHECK_FALSE(why(mine, program, below({top, tmp}, other, other, 0755, {"lib", "x.so"})).empty());
    CHECK_FALSE(why(mine, program, below({top, {"/tmp", root, root, 0777}}, me, me, 0755, {"build", "x.so"}))
                    .empty());
}

TEST_CASE("/usr, merged or not: the system's own folders") {
    CHECK(why(mine, installed, below({top, usr}, root, root, 0755, {"lib", "muster", "x.so"})).empty());
    CHECK(why(mine, installed, below({top}, root, root, 0755, {"lib", "muster", "x.so"})).empty());
    CHECK(why(of_root, installed, below({top, usr}, root, root, 0555, {"lib64", "muster", "x.so"})).empty());
}

TEST_CASE("/opt/conda of another user: the owner of the module that asks runs code here already") {
    const platform::PathPart opt{"/opt", root, root, 0755};
    const Parts library = below({top, opt}, 990, 990, 0755, {"conda", "lib", "libmuster.so"}),
                plugin = below({top, opt}, 990, 990, 0755, {"conda", "lib", "muster", "x.so"});
    CHECK(why(mine, library, plugin).empty());
    CHECK_FALSE(why(mine, installed, plugin).empty());
    const SharedGroups admins({990});  // the group that manages it may write, to the library, too
    CHECK(why(mine, below({top, opt}, 990, 990, 02775, {"conda", "lib", "libmuster.so"}),
              below({top, opt}, 990, 990, 02775, {"conda", "lib", "muster", "x.so"}))
              .empty());
    CHECK_FALSE(
        why(mine, library, below({top, opt}, 990, 990, 02775, {"conda", "lib", "muster", "x.so"})).empty());
}

TEST_CASE("umask 002: a group of one's own, or one that may write to the module that asks") {
    const Parts program = below({top, home}, me, me, 0775, {"me", "build", "bin", "program"}),
                plugin = below({top, home}, me, me, 0775, {"me", "build", "lib", "x.so"});
    CHECK(why(mine, installed, plugin).empty());
    const SharedGroups shared({me});
    CHECK_FALSE(why(mine, installed, plugin).empty());
    CHECK(why(mine, program, plugin).empty());
    // A project's folder: its members may replace the program.
    const platform::PathPart project{"/project", root, me, 02770};
    CHECK(why(mine, below({top, project}, me, me, 0755, {"build", "program"}),
              below({top, project}, me, me, 02775, {"build", "x.so"}))
              .empty());
}

TEST_CASE("umask 000, as of builds in containers: anyone may replace the program") {
    const platform::PathPart builds{"/builds", root, root, 0777};
    const Parts program = below({top, builds}, root, root, 0777, {"x", "bin", "program"});
    CHECK(why(of_root, program, below({top, builds}, root, root, 0777, {"x", "lib", "x.so"})).empty());
    CHECK_FALSE(
        why(of_root, installed, below({top, builds}, root, root, 0777, {"x", "lib", "x.so"})).empty());
    CHECK_FALSE(why(of_root, program, below({top, builds}, other, other, 0777, {"lib", "x.so"})).empty());
}

TEST_CASE("root:staff in /usr/local") {
    constexpr std::uint32_t staff = 50;
    const platform::PathPart local{"/usr/local", root, staff, 02775},
        lib{"/usr/local/lib", root, staff, 02775};
    const Parts plugin = below({top, usr, local, lib}, root, staff, 02755, {"muster", "x.so"});
    CHECK(why(mine, installed, plugin).empty());
    CHECK(why(of_root, installed, plugin).empty());
    const SharedGroups members({staff});
    CHECK_FALSE(why(mine, installed, plugin).empty());
    const Parts program = below({top, usr, local}, root, staff, 02755, {"bin", "muster"});
    CHECK(why(mine, program, plugin).empty());  // staff may replace it
}

TEST_CASE("Nix's store: its group may make things, and replace none") {
    const SharedGroups builders({30000});
    const platform::PathPart nix{"/nix", root, root, 0755}, store{"/nix/store", root, 30000, 01775};
    CHECK(why(mine, below({top, nix, store}, root, root, 0555, {"a-muster", "bin", "muster"}),
              below({top, nix, store}, root, root, 0555, {"b-muster", "lib", "x.so"}))
              .empty());
    CHECK_FALSE(why(mine, installed, below({top, nix, store}, 30001, 30000, 0555, {"c", "x.so"})).empty());
}

TEST_CASE("a container without root: owners that have no number there read as nobody") {
    const auto unmapped = [](Parts parts) {
        for (platform::PathPart& part : parts) part.owner = part.group = nobody;
        return parts;
    };
    for (const std::uint32_t user : {root, me}) {
        const platform::ProcessRights contained{.user = user, .real_user = user, .unmapped = nobody};
        const platform::ProcessRights usual{.user = user, .real_user = user};
        const Parts library = unmapped(installed),
                    plugin = unmapped(below({top, usr}, root, root, 0755, {"lib", "muster", "x.so"}));
        CHECK(why(contained, library, plugin).empty());
        CHECK(why(contained, below(unmapped({top, home}), user, user, 0755, {"me", "program"}), plugin)
                  .empty());
        CHECK_FALSE(why(usual, installed, plugin).empty());  // outside, nobody is a user like others
        // The machine's /tmp: what reads as nobody's may be any user's.
        const Parts program = below(unmapped({top, tmp}), user, user, 0755, {"x", "program"});
        CHECK(why(contained, program, below(unmapped({top, tmp}), nobody, nobody, 0755, {"lib", "x.so"})) ==
              "/tmp/lib belongs to user 65534, whose code would run as user " + std::to_string(user) + ".");
        CHECK(why(contained, program, below(unmapped({top, tmp}), user, user, 0755, {"x", "x.so"})).empty());
        // Nix's store, seen from its own sandboxes.
        const SharedGroups builders({nobody});
        const Parts store = unmapped({top, {"/nix", root, root, 0755}, {"/nix/store", root, 30000, 01775}});
        CHECK(why(contained, below(store, nobody, nobody, 0555, {"a", "muster"}),
                  below(store, nobody, nobody, 0555, {"b", "x.so"}))
                  .empty());
    }
}

TEST_CASE("a bind mount keeps its owner, whom the container may not know") {
    const Parts build = below({top}, me, me, 0755, {"work", "build", "libmuster.so"}),
                plugin = below({top}, me, me, 0755, {"work", "build", "muster", "x.so"});
    CHECK(why(of_root, build, plugin).empty());  // root runs a build of the user outside
    CHECK_FALSE(why(of_root, installed, plugin).empty());
    // A single file, mounted over one of the image.
    const Parts mounted = below({top, usr}, root, root, 0755, {"lib", "x.so"});
    CHECK(why(mine, installed, mounted).empty());
    // Mounted below a folder of another user's, who might mount something else.
    const platform::PathPart data{"/data", other, other, 0755};
    CHECK_FALSE(why(mine, installed, below({top, data}, me, me, 0755, {"x.so"})).empty());
    CHECK(why(mine, below({top, data}, me, me, 0755, {"libmuster.so"}),
              below({top, data}, me, me, 0755, {"x.so"}))
              .empty());
}

TEST_CASE("users whom an access control list names may write as the group may") {
    Parts plugin = below({top, home}, me, me, 0775, {"me", "x.so"}), program = plugin;
    plugin.back().has_acl = true;
    CHECK(why(mine, installed, plugin) ==
          "The access control list of /home/me/x.so lets others write to it.");
    CHECK_FALSE(why(mine, program, plugin).empty());
    program.back().has_acl = true;
    CHECK(why(mine, program, plugin).empty());
}

TEST_CASE(
    "a program with more rights than its user trusts neither that user nor a folder that holds a copy") {
    const platform::ProcessRights set_user_root{.user = root, .real_user = me, .has_foreign_rights = true},
        set_user_other{.user = other, .real_user = me, .has_foreign_rights = true},
        set_group{.user = me, .real_user = me, .has_foreign_rights = true},
        lowered{.user = me, .real_user = root, .has_foreign_rights = true};
    const Parts of_mine = below({top, home}, me, me, 0755, {"me", "x.so"}),
                of_other = below({top, home}, other, other, 0755, {"other", "x.so"}),
                of_system = below({top, usr}, root, root, 0755, {"lib", "x.so"});
    const Parts copy = [] {  // a hard link in the user's own folder
        Parts parts = below({top, home}, me, me, 0755, {"me", "program"});
        parts.back().owner = root;
        return parts;
    }();
    for (const Parts& asker : {installed, copy})
        for (const platform::ProcessRights& process : {set_user_root, set_user_other, set_group, lowered}) {
            CHECK_FALSE(why(process, asker, of_mine).empty());
            CHECK(why(process, asker, of_system).empty());
            CHECK(why(process, asker, of_other).empty() == (process.user == other));
        }
    const SharedGroups games({60});
    const Parts by_group = below({top, usr}, root, 60, 0775, {"games", "x.so"});
    CHECK(why(mine, by_group, by_group).empty());
    CHECK_FALSE(why(set_group, by_group, by_group).empty());
}

TEST_CASE("a group without other members, from the system's files") {
    const std::string groups =
                          "root:x:0:\nstaff:x:50:\nteam:x:60:ann,me\nme:x:1000:me\nusers:x:100:\nodd\n::\n",
                      users =
                          "root:x:0:0:root:/root:/bin/sh\nme:x:1000:1000::/home/me:/bin/sh\n"
                          "ann:x:1001:1001::/home/ann:/bin/sh\nbob:x:1002:77::/:/bin/sh\nx";
    const auto alone = [&](std::uint32_t group, std::uint32_t owner) {
        return platform::has_no_other_member(groups, users, group, owner);
    };
    CHECK(alone(50, root));
    CHECK(alone(1000, 1000));
    CHECK_FALSE(alone(1000, root));  // its member me isn't root
    CHECK_FALSE(alone(60, 1000));
    CHECK_FALSE(alone(77, root));  // no group of that number: a directory service may know more
    CHECK_FALSE(alone(1001, 1000));
    CHECK_FALSE(alone(100, root));  // users of a directory service have it
    CHECK_FALSE(platform::has_no_other_member("", "", 0, 0));
    CHECK_FALSE(platform::has_no_other_member("g:x:50:", "bob:x:7:50:", 50, 8));
    CHECK(platform::has_no_other_member("g:x:50:", "bob:x:7:50:", 50, 7));
}
