// Code for debuggers and profilers: files in folders that are ours alone.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>
#include <support/scratch_folder.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <muster/driver/cache/code_files.hpp>

using namespace muster;
namespace fs = std::filesystem;
using test::ScratchFolder;

namespace {

const Digest group = digest_of("a program");

std::string content(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

unsigned mode(const fs::path& path) {
    struct stat is {};
    REQUIRE(lstat(path.c_str(), &is) == 0);
    return is.st_mode & 07777u;
}

}  // namespace

TEST_CASE("a file is written into folders of its user's, once") {
    const ScratchFolder folder;
    const std::string cache = folder.path / "cache";
    const auto path = cache::keep_code_file(cache, group, "saxpy.wgsl", "fn");
    REQUIRE(path);
    CHECK(*path == cache + "/code/" + to_string(group).substr(0, 16) + "/saxpy.wgsl");
    CHECK(content(*path) == "fn");
    for (fs::path each = fs::path(*path).parent_path(); each != folder.path; each = each.parent_path())
        CHECK(mode(each) == 0700);
    CHECK(mode(*path) == 0600);

    struct stat before {
    }, after{};
    REQUIRE(stat(path->c_str(), &before) == 0);
    CHECK(cache::keep_code_file(cache, group, "saxpy.wgsl", "fn").value_or("") == *path);
    REQUIRE(stat(path->c_str(), &after) == 0);
    CHECK(before.st_ino == after.st_ino);
    CHECK(cache::keep_code_file(cache, group, "saxpy.wgsl", "other").value_or("") == *path);
    CHECK(content(*path) == "other");
}

TEST_CASE("a name leads nowhere else, and a link isn't followed") {
    const ScratchFolder folder;
    const std::string cache = folder.path / "cache";
    for (const char* name : {"../../escape", "/etc/passwd", "..", "", "a b\n\xff"}) {
        const auto path = cache::keep_code_file(cache, group, name, "text");
        REQUIRE(path);
        CHECK(fs::path(*path).parent_path() == fs::path(cache) / "code" / to_string(group).substr(0, 16));
    }
    CHECK(cache::keep_code_file(cache, group, std::string(1000, 'x') + ".so", "text")->ends_with("xx.so"));

    std::ofstream(folder.path / "mine") << "mine";
    const auto path = cache::keep_code_file(cache, group, "link", "text");
    REQUIRE(path);
    fs::remove(*path);
    fs::create_symlink(folder.path / "mine", *path);
    REQUIRE(cache::keep_code_file(cache, group, "link", "text"));
    CHECK(content(folder.path / "mine") == "mine");
    CHECK_FALSE(fs::is_symlink(*path));
}

TEST_CASE("a folder that others may write, or a link, is refused") {
    const ScratchFolder folder;
    const fs::path cache = folder.path / "cache";
    const auto path = cache::keep_code_file(cache, group, "saxpy.wgsl", "fn");
    REQUIRE(path);
    const fs::path own = fs::path(*path).parent_path();
    REQUIRE(chmod(own.c_str(), 0770) == 0);
    const auto refused = cache::keep_code_file(cache, group, "saxpy.wgsl", "fn");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    REQUIRE(chmod(own.c_str(), 0700) == 0);
    fs::rename(own, folder.path / "elsewhere");
    fs::create_directory_symlink(folder.path / "elsewhere", own);
    CHECK_FALSE(cache::keep_code_file(cache, group, "saxpy.wgsl", "fn"));
}
