// The tool where a backend has two devices (doubles/pair.cpp): which of them it takes.
#include <doctest/doctest.h>

#include "run_tool.hpp"

using muster::test::ToolRun;

namespace {

const std::string route = "route examples/saxpy/saxpy.wgsl ";

ToolRun pair(const std::string& command, const std::string& environment = {}) {
    return muster::test::tool_reading("", environment + " " MUSTER_PAIR_TOOL " " + command);
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

int ordinal(const ToolRun& run) { return run.json()["ordinal"].get<int>(); }

}  // namespace

TEST_CASE("backends shows UUIDs as --backend takes them") {
    const ToolRun text = pair("backends");
    CHECK(text.exit == 0);
    const std::string uuid = "abababab-abab-abab-abab-ababababab01";
    CHECK_MESSAGE(contains(text.out, "    also named pair:" + uuid), text.out);
    CHECK(pair("backends --json").json()["backends"][0]["devices"][1]["uuid"] == uuid);
    CHECK(ordinal(pair(route + "--json --backend pair:" + uuid)) == 1);
}

TEST_CASE("--backend, --exclude and the environment choose a device") {
    CHECK(ordinal(pair(route + "--json")) == 0);
    CHECK(ordinal(pair(route + "--json --backend pair:1")) == 1);
    CHECK(ordinal(pair(route + "--json --backend pair:1,pair:0")) == 1);
    CHECK(ordinal(pair(route + "--json --backend pair:1 --backend pair")) == 1);
    CHECK(ordinal(pair(route + "--json --exclude pair:0")) == 1);
    CHECK(ordinal(pair(route + "--json", "MUSTER_BACKEND=pair:1")) == 1);
    CHECK(ordinal(pair(route + "--json", "MUSTER_EXCLUDE=pair:0")) == 1);
    CHECK(ordinal(pair(route + "--json --backend pair:0", "MUSTER_BACKEND=pair:1")) == 0);
    const auto passed_over = pair(route + "--json --backend pair:1").json()["candidates"][0];
    CHECK(passed_over["id"] == "pair:0");
    CHECK(passed_over["reason"] == "not_listed");
}

TEST_CASE(
    "a device that isn't there is refused with those that are, and what is no device is a usage error") {
    const ToolRun absent = pair(route + "--backend pair:7");
    CHECK(absent.exit == 4);
    CHECK_MESSAGE(
        contains(absent.out + absent.err, "name one that is there: pair:0 (double 0), pair:1 (double 1)"),
        absent.out);
    for (const char* wrong : {"pair:x", "pair:", "pair:-1", "pair:1,pair:1", "pair:abababab"}) {
        CAPTURE(wrong);
        CHECK(pair(route + "--backend " + wrong).exit == 2);
    }
    CHECK(pair(route, "MUSTER_BACKEND=pair:x").exit == 2);
}
