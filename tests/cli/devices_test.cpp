// The tool with a backend of two devices (doubles/pair.cpp): which of them it chooses.
#include <doctest/doctest.h>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::has_backend;
using muster::test::scratch;
using muster::test::tool;
using muster::test::ToolRun;

namespace {

const std::string route = "route examples/saxpy/saxpy.wgsl ";

ToolRun pair(const std::string& command, const std::string& environment = {}) {
    return muster::test::tool_reading("", environment + " " MUSTER_PAIR_TOOL " " + command);
}

int ordinal(const ToolRun& run) { return run.json()["ordinal"].get<int>(); }

}  // namespace

TEST_CASE("backends shows UUIDs as --backend takes them") {
    const ToolRun text = pair("backends");
    CHECK(text.exit == 0);
    const std::string uuid = "abababab-abab-abab-abab-ababababab01";
    CHECK_MESSAGE(contains(text.out, "    also named pair:" + uuid), text.out);
    CHECK(pair("backends --json").json()["backends"][1]["devices"][1]["uuid"] == uuid);
    CHECK(ordinal(pair(route + "--json --backend pair:" + uuid)) == 1);
}

TEST_CASE("backends shows what is known of the hardware") {
    const auto hardware = pair("backends --json").json()["backends"][1]["devices"][0]["hardware"];
    CHECK(hardware["compute_units"] == 12);
    CHECK(hardware["pci_address"] == "0000:3b:00.1");
    CHECK(hardware["clock_mhz"].is_null());
    CHECK(hardware["unified_memory"] == false);
    const ToolRun text = pair("backends");
    CHECK_MESSAGE(
        contains(text.out,
                 "    12 compute units, 3.0 GiB of memory free, device 10de:2330, PCI 0000:3b:00.1\n"),
        text.out);
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
    const auto candidates = pair(route + "--json --backend pair:1").json()["candidates"];
    CHECK(candidates[0]["id"] == "other-way");
    CHECK(candidates[1]["id"] == "pair:0");
    CHECK(candidates[1]["reason"] == "not_listed");
}

TEST_CASE(
    "a device that isn't there is refused with those that are, and what is no device is a usage error") {
    const ToolRun absent = pair(route + "--backend pair:7");
    CHECK(absent.exit == 4);
    CHECK_MESSAGE(
        contains(absent.out + absent.err, "name one that is there: pair:0 (double 0), pair:1 (double 1)"),
        absent.out);
    for (const char* wrong : {"pair:X", "pair:", "pair:-1", "pair:1,pair:1", "pair:abababab"}) {
        CAPTURE(wrong);
        CHECK(pair(route + "--backend " + wrong).exit == 2);
    }
    CHECK(pair(route, "MUSTER_BACKEND=pair:X").exit == 2);
}

TEST_CASE("one device reached by two backends is shown as one, with both ways") {
    const ToolRun text = pair("backends");
    CHECK_MESSAGE(contains(text.out, "    the same device as other-way:0\n"), text.out);
    CHECK_MESSAGE(contains(text.out, "    the same device as pair:1\n"), text.out);
    const auto physical = pair("backends --json").json()["physical_devices"];
    REQUIRE(physical.size() == 2);
    CHECK(physical[0]["paths"] == nlohmann::json{"other-way:0", "pair:1"});
    CHECK(physical[1]["paths"] == nlohmann::json{"pair:0"});
}

TEST_CASE("the tool pins, takes only one, and filters") {
    CHECK(ordinal(pair(route + "--json --pin pair:1")) == 1);
    CHECK(ordinal(pair(route + "--json --pin pair:1", "MUSTER_BACKEND=pair:0")) == 1);
    CHECK(pair(route + "--pin pair:7").exit == 4);
    CHECK(pair(route + "--pin pari").exit == 4);
    CHECK(contains(pair(route + "--pin pari").out, "did you mean \"pair\"?"));
    CHECK(pair(route + "--only-one").exit == 0);  // the other backend is tagged
    CHECK(pair(route + "--only-one --allow debug").exit == 4);
    CHECK(pair(route + "--only-one --pin pair").exit == 2);
    CHECK(pair(route + "--tag debug --allow debug --json").json()["backend"] == "other-way");
    CHECK(pair(route + "--kind gpu").exit == 6);
    CHECK(pair(route + "--kind wgpu").exit == 2);
    CHECK(pair(route + "--min-memory 1GiB").exit == 6);
    CHECK(pair(route + "--min-memory 0").exit == 0);
    CHECK(pair(route + "--min-memory much").exit == 2);
    CHECK(pair(route + "--require f32,subgroup:1").exit == 0);
    CHECK(pair(route + "--require subgroup:64").exit == 4);
    CHECK(pair(route + "--require f23").exit == 2);
    CHECK(pair(route + "--subgroup-size 16").exit == 0);  // the program uses none
    CHECK(pair(route + "--subgroup-size 12").exit == 2);
}

TEST_CASE("a route's JSON says who decided what") {
    const auto policy =
        pair(route + "--json --backend pair:1", "MUSTER_BACKEND=pair:0 MUSTER_EXCLUDE=other-way")
            .json()["policy"];
    REQUIRE(policy.size() == 2);
    CHECK(policy[0] == nlohmann::json{{"setting", "backends"},
                                      {"value", "pair:1"},
                                      {"from", "the session's policy"},
                                      {"over", {"MUSTER_BACKEND"}}});
    CHECK(policy[1]["from"] == "MUSTER_EXCLUDE");
}

TEST_CASE("what hides devices is named") {
    CHECK(contains(pair("backends", "PAIR_VISIBLE=0").out,
                   "  PAIR_VISIBLE=\"0\" is set: only the devices that it leaves are found\n"));
    CHECK(pair("backends --json", "PAIR_VISIBLE=0").json()["backends"][1]["hidden_by"][0] ==
          "PAIR_VISIBLE=\"0\"");
    CHECK(contains(pair(route, "PAIR_VISIBLE=0").out, "PAIR_VISIBLE=\"0\" is set"));
    CHECK_FALSE(contains(pair(route).out, "PAIR_VISIBLE"));
}

TEST_CASE("a target is shown by its arch or by a device") {
    const ToolRun text = pair("backends --target pair:d2");
    CHECK(text.exit == 0);
    CHECK_MESSAGE(contains(text.out, "pair:d2\n  exact, no subgroups\n"), text.out);
    CHECK(pair("backends --json --target pair:1").json()["target"] == "pair:d1");
    CHECK(pair("backends --json --target pair:d1").json()["limits"]["max_workgroup_invocations"] == 256);
    CHECK(pair("backends --target pair:d7").exit == 2);
    CHECK(pair("backends --target nobody:d1").exit == 2);
}

TEST_CASE("a level of logging that is none is a usage error") {
    CHECK(pair(route, "MUSTER_LOG=shout").exit == 2);
    CHECK(pair(route, "MUSTER_LOG=info").exit == 0);
}

TEST_CASE("a route says that its device was checked, and backends what is known of it") {
    const std::string cache = "MUSTER_CACHE_DIR=" + scratch("checked_devices");
    CHECK(contains(pair("backends", cache).out, "    not checked here yet: "));
    const ToolRun first = pair(route, cache);
    CHECK_MESSAGE(contains(first.out, "It fits, and comes first: native; checked here: 6 of 6."), first.out);
    CHECK(contains(pair("backends", cache).out, "    checked here: 6 of 6\n"));
    const auto listed = pair("backends --json", cache).json()["backends"][1]["devices"];
    CHECK(listed[0]["check"]["passed"] == 6);
    CHECK_FALSE(listed[1].contains("check"));
    CHECK(pair(route + "--json --backend pair:0", cache).json()["candidates"][1]["check"]["total"] == 6);
    CHECK_FALSE(contains(pair(route + "--no-device-check").out, "checked here"));
    CHECK_FALSE(contains(pair(route, "MUSTER_CHECK_DEVICES=0").out, "checked here"));
    CHECK(pair(route, "MUSTER_CHECK_DEVICES=yes").exit == 2);
}

TEST_CASE("each device here passes its check") {
    for (const char* backend : {"reference", "cpu", "vulkan", "opencl", "cuda"}) {
        if (!has_backend(backend)) continue;
        CAPTURE(backend);
        const auto json = tool(route + "--json --no-emission --backend " + backend).json();
        if (json["mode"] != "execute") continue;  // no such device here
        for (const auto& candidate : json["candidates"]) {
            if (candidate["reason"] != "chosen") continue;
            CHECK_MESSAGE((candidate["check"] == nlohmann::json{{"passed", 6}, {"total", 6}}),
                          candidate.dump());
        }
    }
}
