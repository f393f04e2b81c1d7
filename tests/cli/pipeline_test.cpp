// muster pipeline: kernels that share buffers, loops, copies, and files that are wrong.
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "run_tool.hpp"

using namespace muster::test;

namespace {

constexpr const char* kernels = R"(
@group(0) @binding(0) var<uniform> by: u32;
@group(0) @binding(1) var<storage, read> from: array<u32>;
@group(0) @binding(2) var<storage, read_write> to: array<u32>;
@compute @workgroup_size(4) fn scale(@builtin(global_invocation_id) id: vec3u) { to[id.x] = by * from[id.x]; }
@compute @workgroup_size(4) fn add(@builtin(global_invocation_id) id: vec3u) { to[id.x] += by + from[id.x]; }
)";

/// Writes the kernels and a pipeline of these texts, and returns the pipeline's path.
std::string pipeline(const std::string& buffers, const std::string& steps) {
    std::string text = kernels;
    for (std::size_t at; (at = text.find("from")) != std::string::npos;)
        text.replace(at, 4, "old");  // a reserved word
    std::ofstream(scratch("steps.wgsl")) << text;
    std::ofstream(scratch("pipeline.json"))
        << "{\"buffers\": {" << buffers << "}, \"steps\": [" << steps << "]}";
    return scratch("pipeline.json");
}

const std::string two = R"("a": "iota:u32:6", "b": "zeros:u32:6")";
const std::string scale =
    R"({"run": "steps.wgsl", "entry": "scale", "bind": {"old": "a", "to": "b"}, "values": {"by": "3"}, "invocations": [6]})";

std::string failure(const std::string& buffers, const std::string& steps, const std::string& options = "") {
    const ToolRun run = tool("pipeline " + pipeline(buffers, steps) + " --backend reference " + options);
    CHECK(run.exit == 2);
    return run.err;
}

}  // namespace

TEST_CASE("a pipeline's kernels share buffers") {
    const ToolRun run = tool("pipeline " + pipeline(two, scale + R"(, {"run": "steps.wgsl", "entry": "add",
        "bind": {"old": "a", "to": "b"}, "values": {"by": "1"}, "workgroups": [2]})") +
                             " --backend reference --out b=-");
    CHECK(run.exit == 0);
    CHECK(run.out == "1\n5\n9\n13\n17\n21\n");
    CHECK(contains(run.err, "2 steps on reference"));
    CHECK(contains(run.err, "b  array<u32>"));
}

TEST_CASE("loops have a count, and a value for each turn; copies and fills are steps") {
    const ToolRun run = tool("pipeline " + pipeline(R"("a": "1,2", "b": "like:a")", R"(
        {"repeat": 3, "steps": [
          {"fill": "b", "word": 5},
          {"run": "steps.wgsl", "entry": "add", "bind": {"old": "a", "to": "b"},
           "values": {"by": ["100", "20", "3"]}, "workgroups": [1]},
          {"copy": "b", "to": "a"}]})") +
                             " --backend reference --json");
    CHECK(run.exit == 0);
    const auto json = nlohmann::json::parse(run.out);
    CHECK(json["steps"] == 9);
    CHECK(json["buffers"].size() == 2);
    CHECK(json["buffers"][0]["checksum"] == json["buffers"][1]["checksum"]);
    const ToolRun printed =
        tool("pipeline " + scratch("pipeline.json") + " --backend reference --quiet --out a=-");
    CHECK(printed.out == "139\n140\n");  // 1 + 105 + 25 + 8
    CHECK(printed.err.empty());
}

TEST_CASE("--bind replaces a buffer's data") {
    const ToolRun run =
        tool("pipeline " + pipeline(two, scale) + " --backend reference --bind a=7,8,9,0,1,2 --out b=- -q");
    CHECK(run.out == "21\n24\n27\n0\n3\n6\n");
}

TEST_CASE("the example sorts, stably, on every backend that is there") {
    for (const char* backend : {"reference", "cpu", "vulkan"}) {
        if (!has_backend(backend)) continue;
        CAPTURE(backend);
        const ToolRun run =
            tool("pipeline examples/radix-sort/radix_sort.json --allow emulated --json --backend " +
                 std::string(backend));
        CHECK(run.exit == 0);
        if (run.exit != 0) continue;
        const auto json = nlohmann::json::parse(run.out);
        CHECK(json["steps"] == 24);
        CHECK(json["buffers"][1]["name"] == "keys");
        CHECK(json["buffers"][1]["checksum"] == "d720a3426875492b");  // of sorted keys, by another program
    }
}

TEST_CASE("a pipeline that is wrong is refused, with the place and a way out") {
    CHECK(contains(failure(two, R"({"run": "steps.wgsl"})"), "steps[0] has no grid, or two"));
    CHECK(contains(failure(two, R"({"runs": 1})"), "steps[0] isn't a step"));
    CHECK(contains(failure(two, R"({"repeat": 2, "steps": [{"fill": "a", "wrod": 1}]})"),
                   "steps[0].steps[0] has a member \"wrod\""));
    CHECK(contains(failure(two, R"({"repeat": -1, "steps": []})"), "steps[0].repeat isn't a number from 0"));
    CHECK(contains(failure(two, R"({"repeat": 1})"), "steps[0] repeats nothing"));
    CHECK(contains(failure(two, scale + R"(, {"copy": "b", "to": "c"})"),
                   "steps[1] copies to \"c\", which isn't a buffer"));
    CHECK(contains(failure(R"("a": "iota:u32:6")", scale), "binds to to \"b\", which isn't a buffer"));
    CHECK(contains(failure(two + R"(, "c": "1")", scale), "uses the buffer \"c\""));
    CHECK(contains(failure(R"("a": "like:b", "b": "like:a")", scale), "refers to itself"));
    CHECK(contains(failure(two, scale, "--out c=-"), "--out names \"c\""));
    CHECK(contains(failure(two, scale, "--bind c=1"), "--bind names \"c\""));
    CHECK(contains(failure(two, R"({"repeat": 3, "steps": [{"run": "steps.wgsl", "entry": "scale",
        "bind": {"old": "a", "to": "b"}, "values": {"by": ["1", "2"]}, "workgroups": [1]}]})"),
                   "gives by 2 values; the loop has more turns"));
    CHECK(contains(failure("", "{"), "It isn't JSON"));
    CHECK(contains(tool("pipeline " + scratch("nowhere.json")).err, "nowhere.json"));
}
