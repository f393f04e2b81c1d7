// Files are written as a whole or not at all.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/cli/support/file.hpp>
#include <muster/driver/platform/replace_file.hpp>

#include "run_tool.hpp"

using namespace muster::cli;
using muster::platform::replace_file;
using muster::test::content_of;
using muster::test::scratch;
using muster::test::scratch_file;

namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// A new empty folder.
std::string folder(const std::string& name) {
    const std::string path = scratch(name);
    fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, *std::make_unique<std::error_code>());
    fs::remove_all(path);
    fs::create_directories(path);
    return path;
}

std::size_t files_in(const std::string& path) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
}

std::uint64_t inode(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

const std::string saxpy_run =
    "run examples/saxpy/saxpy.wgsl --backend reference --bind a=2 --bind x=iota:f32:100000 --bind y=like:x ";

}  // namespace

TEST_CASE("a file is replaced by another, which nobody sees half written, with its permissions") {
    const std::string in = folder("replaced"), path = in + "/y";
    CHECK(replace_file(path, bytes_of("one")) == 0);
    const std::uint64_t before = inode(path);
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    CHECK(replace_file(path, bytes_of("two")) == 0);
    CHECK(content_of(path) == "two");
    CHECK(inode(path) != before);
    CHECK(fs::status(path).permissions() ==
          (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read));
    CHECK(files_in(in) == 1);
}

TEST_CASE("symbolic links stay and what they lead to is written, there or not") {
    const std::string in = folder("links"), path = in + "/link", target = in + "/target";
    fs::create_symlink("middle", path);
    fs::create_symlink("target", in + "/middle");
    for (const char* text : {"one", "two"}) {
        CHECK(replace_file(path, bytes_of(text)) == 0);
        CHECK(fs::is_symlink(path));
        CHECK(fs::is_symlink(in + "/middle"));
        CHECK_FALSE(fs::is_symlink(target));
        CHECK(content_of(target) == text);
    }
    fs::create_symlink("loop", in + "/loop");
    CHECK(replace_file(in + "/loop", bytes_of("x")) == ELOOP);
}

TEST_CASE("a file with another name keeps it, and a shorter content cuts it") {
    const std::string in = folder("names"), path = in + "/y", other = in + "/other";
    REQUIRE(replace_file(path, bytes_of("first content")) == 0);
    fs::create_hard_link(path, other);
    CHECK(replace_file(path, bytes_of("two")) == 0);
    CHECK(content_of(other) == "two");
    CHECK(replace_file(path, {}) == 0);
    CHECK(content_of(other).empty());
    CHECK(files_in(in) == 2);
}

TEST_CASE("a full disk leaves what was there, and nothing else") {
    // A limit on file size simulates a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const std::string in = folder("full"), path = in + "/y", linked = in + "/linked";
    REQUIRE(replace_file(path, bytes_of("old")) == 0);
    REQUIRE(replace_file(linked, bytes_of("older")) == 0);
    fs::create_hard_link(linked, in + "/other");
    const rlimit small{1000, before.rlim_max};
    const std::string large(5000, 'x');
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const int replaced = replace_file(path, bytes_of(large)),
              overwritten = replace_file(linked, bytes_of(large)),
              created = replace_file(in + "/new", bytes_of(large));
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, SIG_DFL);
    CHECK(replaced == EFBIG);
    CHECK(overwritten == EFBIG);
    CHECK(created == EFBIG);
    CHECK(content_of(path) == "old");
    CHECK(content_of(linked) == "older");
    CHECK(files_in(in) == 3);
}

TEST_CASE("pipes and devices are written to as they are") {
    const std::string in = folder("pipes"), pipe = in + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::string read;
    std::thread reader([&] { std::getline(std::ifstream(pipe), read); });
    CHECK(replace_file(pipe, bytes_of("through\n")) == 0);
    reader.join();
    CHECK(read == "through");
    CHECK(fs::is_fifo(pipe));
    CHECK(replace_file("/dev/null", bytes_of("x")) == 0);
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(replace_file("/dev/full", bytes_of("x")) == ENOSPC);
}

TEST_CASE("an output to /dev/stdout goes where standard output goes") {
    const std::string raw = scratch("stdout.bin");
    fs::remove(raw);
    fs::create_symlink("/dev/stdout", raw);
    const auto piped = muster::test::tool_reading(
        "", "(" MUSTER_TOOL " " + saxpy_run + "--quiet --out y=" + raw + " | wc -c)");
    CHECK(piped.out == "400000\n");
    // Standard output is a file here, and is also the file to be written: the output comes after what it
    // already has.
    const auto appended = muster::test::tool_reading(
        "", "(echo in front; " MUSTER_TOOL " " + saxpy_run + "--quiet --out y=" + raw + ")");
    CHECK(appended.exit == 0);
    CHECK(appended.out.starts_with("in front\n"));
    CHECK(appended.out.size() == 9 + 400000);
}

TEST_CASE("a limit on the size of files is an error, and no cut file is left") {
    const std::string in = folder("limited"), path = in + "/y.npy";
    scratch_file("limited/y.npy", "old");
    const std::string command = MUSTER_TOOL " " + saxpy_run + "--out y=" + path;
    const auto run = muster::test::tool_reading("", "(ulimit -f 100; " + command + ")");
    CHECK(run.exit == 5);
    CHECK_MESSAGE(run.err.find("can't be written: File too large.") != std::string::npos, run.err);
    CHECK(content_of(path) == "old");
    CHECK(files_in(in) == 1);
#if !defined(__SANITIZE_THREAD__)  // its runtime writes a file of its own before main
    // Emitted code is written the same way.
    const auto emit = muster::test::tool_reading(
        "", "(ulimit -f 0; " MUSTER_TOOL " emit examples/saxpy/saxpy.wgsl --backend reference -o " + in +
                "/x.wgsl)");
    CHECK(emit.exit == 5);
    CHECK(files_in(in) == 1);
#endif
}
