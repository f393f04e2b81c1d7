// muster new-backend: what it writes and refuses. tests/new-backend builds it.
#include <filesystem>
#include <set>

#include <doctest/doctest.h>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::content_of;
using muster::test::has_backend;
using muster::test::scratch;
using muster::test::scratch_file;
using muster::test::tool;

namespace {

std::set<std::string> files_in(const std::string& folder) {
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder))
        names.insert(file.path().filename().string());
    return names;
}

}  // namespace

TEST_CASE("new-backend writes every file of the template under the backend's name") {
    const std::string folder = scratch("open-cl_2");
    const auto run = tool("new-backend " + folder + "/");
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    CHECK(run.err.empty());
    CHECK(contains(run.out, folder + " has the sources of the backend open-cl_2"));
    CHECK(contains(run.out, "  cmake -S " + folder + " -B " + folder + "/build\n"));
    CHECK(files_in(folder) == files_in(MUSTER_SOURCE_DIR "/cli/new_backend"));
    for (const std::string& file : files_in(folder)) {
        CAPTURE(file);
        const std::string text = content_of(folder + "/" + file);
        CHECK_FALSE(text.empty());
        CHECK_FALSE(contains(text, "@ID@"));
        for (const char* name : {"mine", "Mine", "Own"}) CHECK_FALSE(contains(text, name));
    }
    CHECK(contains(content_of(folder + "/CMakeLists.txt"), "muster_backend(open-cl_2 SOURCES"));
    CHECK(contains(content_of(folder + "/backend.hpp"), "namespace backend_open_cl_2 {"));
    CHECK(contains(content_of(folder + "/backend.hpp"),
                   "class OpenCl2Backend final : public muster::Backend {"));
}

TEST_CASE("new-backend writes a backend in C or Rust") {
    const std::string folder = scratch("in-c_2");
    const auto run = tool("new-backend --language c " + folder);
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    CHECK(contains(
        run.out, folder + " has the sources of the backend in-c_2, which runs programs with the system's C"));
    CHECK(files_in(folder) == std::set<std::string>{"CMakeLists.txt", "README.md", "backend.c", "gaps.txt"});
    CHECK(content_of(folder + "/backend.c") == content_of(MUSTER_SOURCE_DIR "/examples/backend-c/backend.c"));
    CHECK(
        contains(content_of(folder + "/CMakeLists.txt"), "muster_backend(in-c_2 SOURCES backend.c PLUGIN)"));
    for (const std::string& file : files_in(folder))
        CHECK_FALSE(contains(content_of(folder + "/" + file), "@ID@"));
    const std::string other = scratch("in-rust");
    REQUIRE(tool("new-backend --language rust " + other).exit == 0);
    CHECK(files_in(other) == std::set<std::string>{"CMakeLists.txt", "README.md", "backend.rs", "gaps.txt"});
    CHECK(contains(content_of(other + "/CMakeLists.txt"), "MUSTER_BACKEND_ID=in-rust ${RUSTC}"));
    for (const std::string& file : files_in(other))
        CHECK_FALSE(contains(content_of(other + "/" + file), "@ID@"));
    CHECK(tool("new-backend --language fortran " + scratch("in-fortran")).exit == 2);
}

TEST_CASE("new-backend refuses what can't be an id, is one of muster's, or is there") {
    const auto refused = [](const std::string& folder, const std::string& says) {
        const auto run = tool("new-backend " + folder);
        CHECK_MESSAGE(run.exit == 2, folder);
        CHECK_MESSAGE(contains(run.err, says), run.err);
        CHECK(contains(run.err, "Fix: "));
        CHECK(run.out.empty());
    };
    for (const std::string name : {"Web", "2d", "a.b", "abcdefghijklmnopqrstuvwxyz_12345", "..", "/", "'ä'"})
        refused(name,
                "isn't a backend's id: up to 31 lower-case letters, digits, '-' and '_', a letter first.");
    refused("''", "its value is empty");
    if (has_backend("reference"))
        refused(scratch("reference"), "muster has a backend \"reference\" of its own.");
    CHECK_FALSE(std::filesystem::exists(scratch("reference")));
    const std::string file = scratch_file("taken", "mine");
    refused(file, "There is a \"" + file + "\" already.");
    CHECK(content_of(file) == "mine");
    CHECK(tool("new-backend " + scratch("abcdefghijklmnopqrstuvwxyz_1234")).exit == 0);
    refused(scratch("abcdefghijklmnopqrstuvwxyz_1234"), "already");
    refused("/nowhere/mine", "The folder \"/nowhere/mine\" can't be made: No such file or directory.");
}

TEST_CASE("new-backend leaves nothing if it can't write it all") {
    const std::string folder = scratch("cut");
    const auto run =
        tool("new-backend " + folder, "bash -c 'ulimit -f 1 && exec \"$@\"' -");  // one file is larger
    CHECK(run.exit == 5);
    CHECK_MESSAGE(contains(run.err, "can't be written"), run.err);
    CHECK_FALSE(std::filesystem::exists(folder));
}
