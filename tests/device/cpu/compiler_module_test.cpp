// The search for the compiler's module, and the errors if it isn't there or isn't ours.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <support/own_process.hpp>
#include <support/scratch_folder.hpp>
#include <unistd.h>

#include <muster/backend-cpu/compile/compiler_module.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/driver/platform/may_run.hpp>

using namespace muster;
using namespace muster::cpu;

namespace {

Error refused(const std::string& place) {
    const auto opened = open_compiler(std::span(&place, 1));
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::unavailable);
    CHECK_FALSE(opened.error().fix.empty());
    return opened.error();
}

}  // namespace

TEST_CASE(
    "it is looked for beside what holds the backend, in the library folder, and where the system looks") {
    const std::string holder = std::filesystem::canonical("/proc/self/exe");
    const std::filesystem::path folder = std::filesystem::path(holder).parent_path();
    const auto places = compiler_places(holder);
    REQUIRE(places.size() >= 3);
    CHECK(places.front() == (folder / "libmuster_backend_cpu_compiler.so").string());
    CHECK(std::ranges::count(
              places, (folder.parent_path() / "lib/muster/libmuster_backend_cpu_compiler.so").string()) == 1);
    CHECK(places.back() == "libmuster_backend_cpu_compiler.so");
    CHECK(compiler_places("/no/such/library.so") ==
          std::vector<std::string>{"libmuster_backend_cpu_compiler.so"});
}

TEST_CASE("an installation's library has it in muster/, and a plugin beside its own folder") {
    const std::filesystem::path home = std::filesystem::canonical(std::filesystem::temp_directory_path()) /
                                       ("muster_compiler_places_" + std::to_string(getpid()));
    std::filesystem::create_directories(home / "muster/backends");
    for (const char* holder : {"library.so", "muster/backends/plugin.so"}) {
        std::ofstream(home / holder).put('x');
        const auto places = compiler_places((home / holder).string());
        CAPTURE(holder);
        CHECK(std::ranges::count(places, (home / "muster/libmuster_backend_cpu_compiler.so").string()) == 1);
    }
    std::filesystem::remove_all(home);
}

TEST_CASE("../lib is searched from a folder called bin alone") {
    const std::filesystem::path home = std::filesystem::canonical(std::filesystem::temp_directory_path()) /
                                       ("muster_compiler_bin_" + std::to_string(getpid()));
    for (const char* folder : {"bin", "x"}) {
        std::filesystem::create_directories(home / folder);
        std::ofstream(home / folder / "program").put('x');
        const auto places = compiler_places((home / folder / "program").string());
        CAPTURE(folder);
        CHECK(std::ranges::count(places, (home / "lib/muster/libmuster_backend_cpu_compiler.so").string()) ==
              (std::string_view(folder) == "bin" ? 1 : 0));
    }
    std::filesystem::remove_all(home);
}

TEST_CASE("a compiler that belongs to another user isn't opened, and the error says whose it is") {
    if (geteuid() != 0) return;  // others can't give files away
    const std::string there =
        (std::filesystem::temp_directory_path() / ("muster_compiler_" + std::to_string(getpid()) + ".so"))
            .string();
    std::filesystem::copy_file(MUSTER_NOT_A_COMPILER, there);
    REQUIRE(chown(there.c_str(), 65534, 65534) == 0);
    const auto opened = open_compiler(std::span(&there, 1));
    const auto listed = platform::code_passed_over();
    REQUIRE(chown(there.c_str(), 0, 0) == 0);
    CHECK(refused(there).message.find("has no muster_cpu_compiler") !=
          std::string::npos);  // it was the owner
    CHECK(platform::code_passed_over().size() + 1 == listed.size());
    std::filesystem::remove(there);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::refused);
    CHECK(opened.error().message ==
          there + " isn't used: " + there + " belongs to user 65534, whose code would run as user 0.");
    CHECK(opened.error().fix.find("chown 0 " + there) != std::string::npos);
    REQUIRE_FALSE(listed.empty());
    CHECK(listed.front().message == opened.error().message);
}

TEST_CASE("inner: a compiler on the library path" * doctest::skip()) {
    const std::string name = "libmuster_backend_cpu_compiler.so";
    const auto opened = open_compiler(std::span(&name, 1));
    REQUIRE_FALSE(opened);
    const bool is_mine = std::getenv("MUSTER_TEST_IS_MINE") != nullptr;
    CHECK(opened.error().code == (is_mine ? ErrorCode::unavailable : ErrorCode::refused));
    CHECK(opened.error().message.find(is_mine ? "has no muster_cpu_compiler" : "belongs to user 65534") !=
          std::string::npos);
}

TEST_CASE(
    "a compiler that the system's loader would find by its name is judged like one beside the backend") {
    if (geteuid() != 0) return;  // others can't give files away
    const test::ScratchFolder folder;
    const std::filesystem::path there = folder.path / "libmuster_backend_cpu_compiler.so";
    std::filesystem::copy_file(MUSTER_NOT_A_COMPILER, there);
    for (const bool is_mine : {false, true}) {
        CAPTURE(is_mine);
        REQUIRE(chown(there.c_str(), is_mine ? 0 : 65534, is_mine ? 0 : 65534) == 0);
        const auto ended = test::in_own_process(60, [&] {
            setenv("LD_LIBRARY_PATH", folder.path.c_str(), 1);
            if (is_mine) setenv("MUSTER_TEST_IS_MINE", "1", 1);
            execl("/proc/self/exe", "test", "-tc=inner: a compiler on the library path", "--no-skip",
                  nullptr);
            return 2;
        });
        CHECK(ended == 0);
    }
}

TEST_CASE("where there is none, the error says where it was looked for") {
    const Error error = refused("/no/such/folder/libmuster_backend_cpu_compiler.so");
    CHECK(error.message.find("/no/such/folder/") != std::string::npos);
    CHECK(error.fix.find("install libmuster_backend_cpu_compiler.so") != std::string::npos);
}

TEST_CASE("a module of another build, or of something else, isn't used") {
    CHECK(refused(MUSTER_OTHER_BUILD).message.find("\"muster 0.0.0 another\" instead of \"muster ") !=
          std::string::npos);
    CHECK(refused(MUSTER_NOT_A_COMPILER).message.find("has no muster_cpu_compiler") != std::string::npos);
    CHECK(refused("/proc/self/status").message.find("can't be opened: ") != std::string::npos);
}

TEST_CASE("where it is there and the process may have no more memory, the error says so") {
    const PlantedFaults faults([](std::string_view call) -> std::optional<Error> {
        if (call != "mmap") return std::nullopt;
        return Error{ErrorCode::out_of_memory, "No.", "", {}};
    });
    const std::string there = "/proc/self/status";
    const auto opened = open_compiler(std::span(&there, 1));
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::out_of_memory);
    CHECK(opened.error().message.find("can't be loaded: ") != std::string::npos);
    CHECK(opened.error().message.find("256 MiB of addresses") != std::string::npos);
    CHECK(opened.error().fix.find("ulimit -v") != std::string::npos);
    CHECK(opened.error().fix.find("install") == std::string::npos);
    refused("/no/such/folder/libmuster_backend_cpu_compiler.so");  // more memory wouldn't help
}
