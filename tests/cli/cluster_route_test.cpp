// `muster route --cluster`: the cut, what is exchanged, and why not.

#include <doctest/doctest.h>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::scratch_file;
using muster::test::tool;

namespace {

const std::string stencil = R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = x[id.x - 1] + x[id.x + 1]; })";

}  // namespace

TEST_CASE("route --cluster shows the cut and what the ranks exchange") {
    const std::string command = "route " + scratch_file("stencil.wgsl", stencil) +
                                " --bind x=iota:f32:120 --bind y=zeros:f32:120 --cluster 3";
    const auto text = tool(command);
    CHECK(text.exit == 0);
    CHECK(text.out == R"(main: 12 workgroups, cut along x over 3 ranks
  rank 0: workgroups 0 to 3, 0 to 2 while words come in; receives 4 bytes from rank 1
  rank 1: workgroups 4 to 7, 5 to 6 while words come in; receives 4 bytes from rank 0, 4 bytes from rank 2
  rank 2: workgroups 8 to 11, 9 to 11 while words come in; receives 4 bytes from rank 1
  16 bytes are exchanged: "x" 16
)");
    const auto json = tool(command + " --json").json()["cluster"];
    CHECK(json["ranks"] == 3);
    REQUIRE(json["phases"].size() == 1);
    const auto& phase = json["phases"][0];
    CHECK(phase["axis"] == "x");
    CHECK(phase["ranks"][1]["workgroups"] == nlohmann::json({4, 8}));
    CHECK(phase["ranks"][1]["interior"] == nlohmann::json({5, 7}));
    CHECK(phase["ranks"][1]["bytes_received"] == 8);
    CHECK(phase["ranks"][0]["bytes_sent"] == 4);
    CHECK(phase["transfers"][0] ==
          nlohmann::json({{"from", 1}, {"to", 0}, {"binding", "x"}, {"words", {40, 41}}}));
    CHECK(phase["bytes_transferred"] == 16);
    CHECK_FALSE(phase.contains("one_rank"));
    const auto whole = tool(command + " --replicate x");
    CHECK_FALSE(contains(whole.out, "exchanged"));
}

TEST_CASE("route --cluster plans each phase between grid barriers") {
    const auto run = tool(
        "route examples/jacobi/jacobi.wgsl --cluster 2 --bind problem=32,64,10 --bind even=zeros:f32:64,32 "
        "--bind odd=like:even --workgroups 1,8 --json");
    REQUIRE(run.exit == 0);
    const auto phases = run.json()["cluster"]["phases"];
    REQUIRE(phases.size() == 2);
    for (const auto& phase : phases) {
        CHECK(phase["axis"] == "y");
        CHECK(phase["ranks"][0]["workgroups"] == nlohmann::json({0, 4}));
        CHECK(phase["bytes_transferred"].get<int>() > 0);
        CHECK(phase["bytes_transferred"].get<int>() <= 2 * 32 * 4);
    }
}

TEST_CASE("route --cluster says why a dispatch isn't cut") {
    const std::string scatter = scratch_file("scatter.wgsl", R"(
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    y[x[id.x]] = id.x;
})");
    const std::string command =
        "route " + scatter + " --bind x=iota:u32:120 --bind y=zeros:u32:120 --cluster 2";
    const auto text = tool(command);
    CHECK(text.exit == 0);
    CHECK(contains(text.out, "on one rank: " + scatter + ":6:5: Nothing bounds the words of \"y\""));
    CHECK(contains(text.out, "Fix: index it by the workgroup's own ids"));
    const auto why = tool(command + " --json").json()["cluster"]["phases"][0]["one_rank"];
    CHECK(why["where"] == scatter + ":6:5");
}

TEST_CASE("route --cluster refuses what it can't use") {
    const std::string file = scratch_file("stencil.wgsl", stencil);
    CHECK(tool("route " + file + " --cluster 3").exit == 2);
    CHECK(tool("route " + file + " --cluster 0 --bind x=iota:f32:9 --bind y=like:x").exit == 2);
    CHECK(tool("route " + file + " --replicate x --bind x=iota:f32:9 --bind y=like:x").exit == 2);
    const auto unknown =
        tool("route " + file + " --cluster 3 --bind x=iota:f32:9 --bind y=like:x --replicate z");
    CHECK(unknown.exit == 2);
    CHECK(contains(unknown.err, "--replicate names \"z\", which isn't a binding of main."));
    const auto model = tool("route examples/models/edges.graph --cluster 2");
    CHECK(model.exit == 2);
    CHECK(contains(model.err, "--cluster is for programs, and this is a model."));
}
