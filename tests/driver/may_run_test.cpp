// Whether code is run, on real files; and a process that has more rights than its user, which reads no variable of theirs.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <grp.h>
#include <sched.h>
#include <support/own_process.hpp>
#include <support/scratch_folder.hpp>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/driver/cache/disk_cache.hpp>
#include <muster/driver/platform/driver_library.hpp>
#include <muster/driver/platform/environment_variable.hpp>
#include <muster/driver/platform/may_run.hpp>
#include <muster/driver/policy/environment.hpp>

using namespace muster;
namespace fs = std::filesystem;
using test::ScratchFolder;

namespace {

constexpr uid_t nobody = 65534;
constexpr int skipped = 77;  // an exit status

fs::path made(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "code";
    return file;
}

void leave_out(const char* why) { MESSAGE(why); }

bool give(const fs::path& path, uid_t owner) { return chown(path.c_str(), owner, owner) == 0; }

}  // namespace

TEST_CASE("this process may run its own code, the system's, and what is beside it") {
    for (const char* file : {"/proc/self/exe", "/bin/sh", "/no/such/file"}) {
        CAPTURE(file);
        const auto why = platform::why_not_run(file);
        CHECK((why ? why->to_string() : "") == "");
    }
    const ScratchFolder folder;
    CHECK_FALSE(platform::why_not_run(made(folder.path / "bin/x.so")));
}

TEST_CASE("links are resolved: a merged /usr, and lib64 of a Python environment") {
    const ScratchFolder folder;
    made(folder.path / "usr/lib/x.so");
    fs::create_directory_symlink("usr/lib", folder.path / "lib");
    CHECK_FALSE(platform::why_not_run(folder.path / "lib/x.so"));
    fs::create_directory_symlink("lib", folder.path / "usr/lib64");
    CHECK_FALSE(platform::why_not_run(folder.path / "usr/lib64/x.so"));
    if (geteuid() != 0) return;  // others can't give files away
    REQUIRE(give(folder.path / "usr/lib", nobody));
    for (const char* file : {"usr/lib/x.so", "lib/x.so", "usr/lib64/x.so"}) {
        const auto why = platform::why_not_run(folder.path / file);
        REQUIRE(why);
        CHECK(why->message == fmt::format("{} belongs to user 65534, whose code would run as user 0.",
                                          fs::canonical(folder.path / "usr/lib").string()));
    }
}

TEST_CASE("another user's file, or folder on the way, isn't run; in a sticky folder one's own is") {
    if (geteuid() != 0) return;
    const ScratchFolder folder;
    const fs::path file = made(folder.path / "shared/x/x.so"), shared = folder.path / "shared";
    CHECK_FALSE(platform::why_not_run(file));
    for (const fs::path& part : {file, file.parent_path(), shared}) {
        REQUIRE(give(part, nobody));
        CHECK(platform::why_not_run(file).value().code == ErrorCode::refused);
        REQUIRE(give(part, 0));
    }
    REQUIRE(chmod(shared.c_str(), 01777) == 0);
    CHECK_FALSE(platform::why_not_run(file));
    REQUIRE(give(file.parent_path(), nobody));
    CHECK(platform::why_not_run(file));
}

TEST_CASE("the owner of the module that asks may have code run") {
    if (geteuid() != 0) return;
    const ScratchFolder folder;
    const fs::path module = made(folder.path / "conda/libmuster.so"), file = made(folder.path / "conda/x.so");
    for (const fs::path& part : {module, file, module.parent_path()}) REQUIRE(give(part, nobody));
    CHECK(platform::why_not_run(file));
    CHECK_FALSE(platform::why_not_run(file, module));
}

TEST_CASE(
    "a library is opened by a path that was found only if it may be run, by one that was named always") {
    if (geteuid() != 0) return;
    const ScratchFolder folder;
    const fs::path file = made(folder.path / "x.so");
    REQUIRE(give(file, nobody));
    CHECK(DriverLibrary::open(file.c_str()).error().code == ErrorCode::refused);
    CHECK(DriverLibrary::open(file.c_str(), CodePlace::named).error().code == ErrorCode::unavailable);
    REQUIRE(give(file, 0));
    CHECK(DriverLibrary::open(file.c_str()).error().code == ErrorCode::unavailable);  // it is text
}

TEST_CASE("what is passed over is listed until it is mended") {
    if (geteuid() != 0) return;
    const ScratchFolder folder;
    const std::string file = made(folder.path / "x.so");
    const auto listed = [&] {
        return std::ranges::count_if(platform::code_passed_over(),
                                     [&](const Error& error) { return error.message.starts_with(file); });
    };
    REQUIRE(give(file, nobody));
    CHECK(platform::passed_over(file));
    CHECK(platform::passed_over(file));
    CHECK(listed() == 1);
    REQUIRE(give(file, 0));
    CHECK_FALSE(platform::passed_over(file));
    CHECK(listed() == 0);
}

TEST_CASE("a bind mount is judged by the owners of what is mounted") {
    if (geteuid() != 0) return;
    const ScratchFolder folder;
    const fs::path source = made(folder.path / "source/x.so"), file = made(folder.path / "target/x.so");
    const auto ended = test::in_own_process(30, [&] {
        if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            mount(source.parent_path().c_str(), file.parent_path().c_str(), nullptr, MS_BIND, nullptr) != 0)
            return skipped;
        if (platform::why_not_run(file)) return 1;
        if (!give(source, nobody) || !platform::why_not_run(file)) return 2;
        if (!give(source, 0) || platform::why_not_run(file)) return 3;
        return !give(source.parent_path(), nobody) || !platform::why_not_run(file) ? 4 : 0;
    });
    if (ended == skipped) return leave_out("this process may not mount");
    CHECK(ended == 0);
}

TEST_CASE("inner: a container without root" * doctest::skip()) {
    const std::string scratch = std::getenv("MUSTER_TEST_FOLDER");
    CHECK_FALSE(platform::why_not_run("/bin/sh"));  // root's, who has no number here
    CHECK_FALSE(platform::why_not_run("/proc/self/exe"));
    const ScratchFolder own;
    CHECK_FALSE(platform::why_not_run(made(own.path / "x.so")));
    const auto why =
        platform::why_not_run(scratch + "/x.so");  // in /tmp, where anyone makes what reads as nobody's
    REQUIRE(why);
    CHECK(why->message == scratch + " belongs to user 65534, whose code would run as user 0.");
}

TEST_CASE("in a container without root, the system's code runs, and nobody's in /tmp doesn't") {
    if (geteuid() != 0) return;
    const ScratchFolder folder;  // directly in /tmp
    if (fs::canonical(folder.path.parent_path()) != "/tmp") return;
    made(folder.path / "x.so");
    const std::string program = fs::canonical("/proc/self/exe");
    const auto contained = [&](const std::string& command) {
        return test::in_own_process(60, [&] {
            setenv("MUSTER_TEST_FOLDER", folder.path.c_str(), 1);
            if (setgroups(0, nullptr) != 0 || setgid(1000) != 0 || setuid(1000) != 0) return 1;
            execl("/bin/sh", "sh", "-c", ("exec unshare --user --map-root-user " + command).c_str(), nullptr);
            return 2;
        });
    };
    if (contained("test -x " + program) != 0)
        return leave_out("this system makes no user namespaces, or this program can't be reached in one");
    const auto ended = contained(program + " --no-skip '-tc=inner: a container without root'");
    CHECK(ended == 0);
}

TEST_CASE("inner: a set-user-ID program" * doctest::skip()) {
    if (!platform::has_foreign_rights()) _exit(skipped);  // the file system ignores the bit
    REQUIRE(std::getenv("MUSTER_CACHE_BYTES") != nullptr);
    CHECK_FALSE(platform::environment_variable("MUSTER_CACHE_BYTES"));
    CHECK(platform::environment_names("MUSTER_").empty());
    CHECK_FALSE(cache_folder());
    CHECK(*cache_bytes() == DiskCache::usual_most_bytes);
    CHECK(*environment_probing() == Probing::in_process);
    CHECK_FALSE(environment_policy()->backends);
    CHECK(environment_plugins()->folders.empty());
    DiskCache::process().keep(digest_of("a key"), "", "bytes");

    // The real user's code isn't run, nor anybody's for a place that was named.
    const std::string scratch = std::getenv("MUSTER_CACHE_DIR");
    CHECK(platform::why_not_run(scratch + "/code/x.so"));
    CHECK(DriverLibrary::open((scratch + "/code/x.so").c_str(), CodePlace::named).error().code ==
          ErrorCode::refused);
    CHECK_FALSE(platform::why_not_run("/bin/sh"));

    // Drivers obey variables of their own.
    const auto driver = DriverLibrary::open("libm.so.6");
    REQUIRE_FALSE(driver);
    CHECK(driver.error().code == ErrorCode::refused);
    CHECK(driver.error().message.starts_with("libm.so.6 isn't opened: this program has more rights"));
}

TEST_CASE("a set-user-ID program of root's obeys no variable of its user's, and runs none of their code") {
    if (geteuid() != 0) return;
    const ScratchFolder folder;
    const fs::path program = folder.path / "program";
    fs::copy_file("/proc/self/exe", program);
    made(folder.path / "code/x.so");
    made(folder.path / "entries/diary.txt");
    for (const char* each : {"code/x.so", "code"}) REQUIRE(give(folder.path / each, nobody));
    REQUIRE(chmod((folder.path / "entries").c_str(), 0700) == 0);
    REQUIRE(chmod(program.c_str(), 04755) == 0);
    const auto run = [&] {
        return test::in_own_process(60, [&] {
            for (const auto& [name, value] :
                 {std::pair<const char*, std::string>{"MUSTER_CACHE_DIR", folder.path},
                  {"MUSTER_CACHE_BYTES", "1000"},
                  {"MUSTER_PROBE", "isolated"},
                  {"MUSTER_BACKEND", "nothing"},
                  {"MUSTER_BACKEND_PATH", folder.path / "code"},
                  {"XDG_CACHE_HOME", folder.path / "cache"},
                  {"HOME", folder.path}})
                setenv(name, value.c_str(), 1);
            if (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0) return 1;
            execl(program.c_str(), program.c_str(), "-tc=inner: a set-user-ID program", "--no-skip", nullptr);
            return 2;
        });
    };
    const auto ended = run();
    if (ended == skipped) return leave_out("the bit has no effect here");
    CHECK(ended == 0);
    CHECK(fs::exists(folder.path / "entries/diary.txt"));
    CHECK_FALSE(fs::exists(folder.path / "cache"));
    CHECK(std::distance(fs::directory_iterator(folder.path / "entries"), {}) == 1);
}
