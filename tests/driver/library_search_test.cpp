// What of a library is missing, by files alone: each way in which the loader finds one, and files that aren't what they should be.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <support/scratch_folder.hpp>

#include <muster/driver/platform/driver_library.hpp>
#include <muster/driver/platform/library_search.hpp>
#include <muster/driver/platform/module_of.hpp>

using namespace muster;

namespace {

/// Sets LD_LIBRARY_PATH for the look; the loader itself has read it long before.
class LibraryPath {
  public:
    explicit LibraryPath(const std::string& path) {
        if (const char* now = std::getenv("LD_LIBRARY_PATH")) before_ = now;
        setenv("LD_LIBRARY_PATH", path.c_str(), 1);
    }
    ~LibraryPath() {
        if (before_)
            setenv("LD_LIBRARY_PATH", before_->c_str(), 1);
        else
            unsetenv("LD_LIBRARY_PATH");
    }
    LibraryPath(const LibraryPath&) = delete;
    LibraryPath& operator=(const LibraryPath&) = delete;

  private:
    std::optional<std::string> before_;
};

}  // namespace

#if defined(__linux__)
TEST_CASE("libraries that the loader opens are found by name, and those that it doesn't are missing") {
    for (const char* name : {"libm.so.6", "libc.so.6", "libz.so.1", "libstdc++.so.6", "libvulkan.so.1",
                             "libOpenCL.so.1", "libmuster_none_such.so.1"}) {
        CAPTURE(name);
        const auto opened = DriverLibrary::open(name);
        const auto missing = missing_library(name);
        CHECK(opened.has_value() != missing.has_value());
        if (missing) CHECK(missing->name == name);
        if (missing) CHECK(missing->needed_by.empty());
    }
}

TEST_CASE("a file is missing if it isn't there, is cut short, or is no library") {
    const test::ScratchFolder folder;
    const std::string path = (folder.path / "libone.so").string();
    CHECK(missing_library(path)->name == path);
    std::ofstream(path) << "";
    CHECK(missing_library(path)->name == path);
    std::ofstream(path) << std::string(4096, 'x');
    CHECK(missing_library(path)->name == path);
    const std::string program = platform::module_of(reinterpret_cast<const void*>(&missing_library));
    std::ifstream whole(program, std::ios::binary);
    std::string head(4096, '\0');
    whole.read(head.data(), static_cast<std::streamsize>(head.size()));
    for (std::size_t bytes = 0; bytes < head.size(); bytes += 7) {
        std::ofstream(path, std::ios::binary) << head.substr(0, bytes);
        (void)missing_library(path);  // whatever it says, it doesn't crash
    }
    CHECK(missing_library(folder.path.string())->name == folder.path.string());
}

TEST_CASE("a library is found on the library path, and a broken file that comes first hides it") {
    const test::ScratchFolder folder;
    const std::string whole = (folder.path / "whole").string(), broken = (folder.path / "broken").string();
    std::filesystem::create_directory(whole);
    std::filesystem::create_directory(broken);
    constexpr const char* name = "libmuster_of_a_test.so.1";
    CHECK(missing_library(name)->name == name);
    // Any library will do: a copy of the C library, which needs the loader alone.
    Dl_info info{};
    REQUIRE(dladdr(reinterpret_cast<const void*>(&std::getenv), &info) != 0);
    std::filesystem::copy_file(std::filesystem::canonical(info.dli_fname), whole + "/" + name);
    std::ofstream(broken + "/" + name) << "";
    {
        const LibraryPath path(whole);
        CHECK_FALSE(missing_library(name));
        CHECK_FALSE(missing_library(whole + "/" + name));
    }
    {
        const LibraryPath path(broken + ":" + whole);
        CHECK(missing_library(name)->name == name);
    }
    const LibraryPath path(whole + ":" + broken);
    CHECK_FALSE(missing_library(name));
}
#endif
