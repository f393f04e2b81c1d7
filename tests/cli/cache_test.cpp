// muster cache, and kernels that a later process takes from the disk.
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "run_tool.hpp"

using namespace muster::test;
namespace fs = std::filesystem;

namespace {

const std::string cached_saxpy =
    "run examples/saxpy/saxpy.wgsl --backend cpu --bind a=2 --bind x=iota:f32:8 --bind y=zeros:f32:8 "
    "--out y=- --quiet";
constexpr const char* twice_iota = "0\n2\n4\n6\n8\n10\n12\n14\n";

/// The variables that name an empty cache.
std::string fresh_cache(const std::string& name) {
    fs::remove_all(scratch(name));
    return "MUSTER_CHECK_DEVICES=0 MUSTER_CACHE_DIR=" + scratch(name);  // a check's verdict is an entry, too
}

fs::path only_entry(const std::string& name) {
    return fs::directory_iterator(scratch(name) + "/entries")->path();
}

/// Runs saxpy; returns whether the process opened LLVM.
bool opens_llvm(const std::string& cache) {
    const std::string log = scratch("loader");
    for (const auto& file : fs::directory_iterator(fs::path(log).parent_path()))
        if (file.path().filename().string().starts_with("loader.")) fs::remove(file);
    const ToolRun run = tool(cached_saxpy, cache + " LD_DEBUG=files LD_DEBUG_OUTPUT=" + log);
    CHECK(run.out == twice_iota);
    for (const auto& file : fs::directory_iterator(fs::path(log).parent_path()))
        if (file.path().filename().string().starts_with("loader."))
            return contains(content_of(file.path()), "libLLVM");
    FAIL("the loader wrote no file");
    return false;
}

}  // namespace

TEST_CASE("a kernel for the CPU that an earlier process compiled runs without LLVM") {
    if (!has_backend("cpu")) return;
    const std::string cache = fresh_cache("warm");
    CHECK(opens_llvm(cache));
    CHECK_FALSE(opens_llvm(cache));
    const ToolRun list = tool("cache list", cache);
    CHECK(list.exit == 0);
    CHECK(contains(list.out, "  saxpy for "));
    CHECK(contains(list.out, scratch("warm") + ": 1 entry, "));
    CHECK(contains(list.out, " of at most 256.0 MiB\n"));

    std::ofstream(only_entry("warm"), std::ios::binary | std::ios::app) << "damage";
    CHECK(opens_llvm(cache));
    CHECK_FALSE(opens_llvm(cache));
    CHECK(tool("cache clear", cache).out == scratch("warm") + ": 1 entry removed\n");
    CHECK(opens_llvm(cache));
}

TEST_CASE("a folder that isn't ours alone costs only the cache, with a warning") {
    if (!has_backend("cpu")) return;
    const std::string cache = fresh_cache("open");
    CHECK(tool(cached_saxpy, cache).err.empty());
    fs::permissions(scratch("open") + "/entries", fs::perms::others_write, fs::perm_options::add);
    const ToolRun run = tool(cached_saxpy, cache);
    CHECK(run.exit == 0);
    CHECK(run.out == twice_iota);
    CHECK(run.err ==
          "muster: warning: The cache's folder " + scratch("open") +
              "/entries isn't used, because others may have written to it: its mode is 0702. Fix: remove "
              "it, or set MUSTER_CACHE_DIR to a folder of your own\n");
    const ToolRun size = tool("cache size", cache);
    CHECK(size.exit == 5);
    CHECK(size.err ==
          "The cache's folder " + scratch("open") +
              "/entries isn't used, because others may have written to it: its mode is 0702.\nFix: remove "
              "it, or set MUSTER_CACHE_DIR to a folder of your own\n");
}

TEST_CASE("the cache as JSON") {
    const std::string cache = fresh_cache("json");
    const auto none = tool("cache size --json", cache + " MUSTER_CACHE_BYTES=1000").json();
    CHECK(none ==
          nlohmann::json{{"folder", scratch("json")}, {"entries", 0}, {"bytes", 0}, {"limit_bytes", 1000}});
    if (!has_backend("cpu")) return;
    CHECK(tool(cached_saxpy, cache).exit == 0);
    const auto list = tool("cache list --json", cache).json();
    REQUIRE(list["list"].size() == 1);
    CHECK(list["entries"] == 1);
    CHECK(list["bytes"] == list["list"][0]["bytes"]);
    CHECK(list["bytes"] == fs::file_size(only_entry("json")));
    CHECK(list["list"][0]["key"] == only_entry("json").filename().string());
    CHECK(contains(list["list"][0]["label"], "saxpy for "));
    CHECK(tool("cache clear --json", cache).json() ==
          nlohmann::json{{"folder", scratch("json")}, {"removed", 1}});
}

TEST_CASE("what is wrong with a command about the cache is said") {
    const ToolRun none = tool("cache list", "MUSTER_CACHE_DIR=");
    CHECK(none.exit == 0);
    CHECK(none.out ==
          "No cache is kept (MUSTER_CACHE_DIR is empty, or there is no home folder): 0 entries, 0 bytes of "
          "at most "
          "256.0 MiB\n");
    CHECK(tool("cache").exit == 2);
    CHECK(tool("cache lost").exit == 2);
    const ToolRun wrong = tool("cache size", "MUSTER_CACHE_BYTES=1k");
    CHECK(wrong.exit == 2);
    CHECK(wrong.err ==
          "MUSTER_CACHE_BYTES is \"1k\", no number of bytes below 2^64.\nFix: set it to a number, such as "
          "268435456, or unset it\n");
}
