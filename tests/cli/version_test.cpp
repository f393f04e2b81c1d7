// muster --version, with and without --json, and muster complete.
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <muster/driver/contract/records.hpp>
#include <muster/foundation/base/version.hpp>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::has_backend;
using muster::test::tool;
using Names = std::set<std::string>;

namespace {

/// The ids that `muster backends` lists.
Names listed(const std::string& environment = {}) {
    const nlohmann::json json = tool("backends --json", environment).json();
    Names ids;
    for (const auto& backend : json["backends"]) ids.insert(backend["id"].get<std::string>());
    return ids;
}

/// The lines that the command prints.
Names lines(const std::string& command, const std::string& environment = {}) {
    const auto run = tool(command, environment);
    CHECK(run.exit == 0);
    CHECK(run.err.empty());
    Names names;
    for (std::size_t at = 0; at < run.out.size();) {
        const std::size_t end = run.out.find('\n', at);
        names.insert(run.out.substr(at, end - at));
        at = end + 1;
    }
    return names;
}

}  // namespace

TEST_CASE("--version is one line, whatever else the command line says") {
    for (const char* command : {"--version", "-V", "--version run", "--version backends --json"}) {
        CAPTURE(command);
        const auto run = tool(command);
        CHECK(run.exit == 0);
        CHECK(run.out == std::string("muster ") + muster::version + "\n");
        CHECK(run.err.empty());
    }
}

TEST_CASE("--version --json says what the tool was built of") {
    const nlohmann::json json = tool("--version --json").json();
    CHECK(tool("--json -V").json() == json);
    CHECK(json["version"] == muster::version);
    static constexpr muster::AbiText abi = muster::abi_fingerprint();
    CHECK(json["abi"] == std::string(abi.view()));
#if defined(__clang__)
    CHECK(json["compiler"].get<std::string>().starts_with("Clang "));
#else
    CHECK(json["compiler"] == "GNU " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
                                  std::to_string(__GNUC_PATCHLEVEL__));
#endif
    CHECK_FALSE(json["build_type"].get<std::string>().empty());
    CHECK(json["sanitizers"].is_string());

    Names linked;
    for (const auto& id : json["linked"]) linked.insert(id.get<std::string>());
    CHECK(linked == listed("MUSTER_AUTOLOAD=0"));
    for (const auto& backend : json["backends"]) {
        const std::string id = backend["id"];
        CAPTURE(id);
        const bool is_linked = linked.contains(id);
        CHECK(is_linked == (backend["built"] && !backend["plugin"]));
        CHECK(backend.contains("left_out") == !backend["built"]);
        if (id == "cpu" && is_linked)
            CHECK(backend["built_with"]["LLVM"].get<std::string>().starts_with("19."));
        if (id == "vulkan" && is_linked)
            CHECK(backend["built_with"]["Vulkan headers"].get<std::string>().starts_with("1."));
        if (id == "cuda" && is_linked)
            CHECK(std::stoi(backend["built_with"]["NVRTC"].get<std::string>()) >= 12);
    }
}

TEST_CASE("the version opens no library") {
    if (has_backend("vulkan"))  // which opens its loader: the trace tells
        CHECK(contains(tool("backends --open", "LD_DEBUG=files").err, "dynamically loaded by"));
    for (const char* command : {"--version", "--version --json"})
        CHECK_FALSE(contains(tool(command, "LD_DEBUG=files").err, "dynamically loaded by"));
}

TEST_CASE("--json without a command or --version isn't silently ignored") {
    const auto run = tool("--json");
    CHECK(run.exit == 2);
    CHECK(run.err ==
          "muster: --json stands before the command.\n"
          "Fix: give it behind the command, or with --version\n");
}

TEST_CASE("complete lists what the installation has, one a line") {
    CHECK(lines("complete ID") == listed());
    CHECK(lines("complete KIND") == Names{"cpu", "discrete", "gpu", "integrated"});
    CHECK(lines("complete GLOB").contains("integers/min_max_clamp"));
    CHECK(lines("complete NAME").empty());
    if (has_backend("reference")) {
        CHECK(lines("complete TAG").contains("debug"));
        CHECK(lines("complete FORMAT").contains("wgsl"));
        CHECK(lines("complete TARGET").contains("reference:wgsl"));
    }
    if (has_backend("cpu")) {
        CHECK(lines("complete TARGET").contains("cpu:x86-64-v3"));
        CHECK(lines("complete KEY=VALUE").contains("width="));
    }
    for (const std::string& target : lines("complete TARGET")) {
        CAPTURE(target);
        CHECK(tool("backends --target " + target).exit == 0);
    }
    CHECK_FALSE(contains(tool("--help").out, "complete"));
}
