// `sanitize` from a user's view: planted faults, options, JSON, exit codes, and the same errors as `run`.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::content_of;
using muster::test::scratch_file;
using muster::test::tool;
using muster::test::tool_reading;

namespace {

/// A kernel of tests/sanitize/: its first comments say how to run it, and each line where something is to be found ends in
/// `// ! KIND`.
struct Planted {
    std::string path, options;
    using Marks = std::set<std::pair<int, std::string>>;  // lines and kinds
    Marks marks;
};

Planted planted(const std::string& path) {
    Planted kernel{path, {}, {}};
    std::istringstream text(content_of(MUSTER_SOURCE_DIR "/" + path));
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        constexpr std::string_view run = "// run: ", mark = "// ! ";
        if (line.starts_with(run)) kernel.options = line.substr(run.size());
        if (const std::size_t at = line.find(mark); at != std::string::npos)
            kernel.marks.emplace(number, line.substr(at + mark.size()));
    }
    return kernel;
}

Planted::Marks found_marks(const nlohmann::json& report) {
    Planted::Marks marks;
    for (const auto& finding : report["findings"]) {
        marks.emplace(finding["where"]["line"], finding["kind"]);
        if (finding.contains("other")) marks.emplace(finding["other"]["where"]["line"], finding["kind"]);
    }
    return marks;
}

std::string shown(const Planted::Marks& marks) {
    std::string text;
    for (const auto& [line, kind] : marks) text += std::to_string(line) + " " + kind + "\n";
    return text;
}

const std::string races = "sanitize tests/sanitize/missing_barrier.wgsl --bind out=zeros:u32:64 ";
const std::string large =
    "sanitize tests/sanitize/last_workgroup.wgsl --bind data=iota:u32:1000000 --workgroups 15625 ";

}  // namespace

TEST_CASE("every planted fault is found at its lines, and nothing where all is right") {
    int faulty = 0, right = 0;
    for (const auto& entry : std::filesystem::directory_iterator(MUSTER_SOURCE_DIR "/tests/sanitize")) {
        if (entry.path().extension() != ".wgsl") continue;
        const Planted kernel = planted("tests/sanitize/" + entry.path().filename().string());
        CAPTURE(kernel.path);
        const auto run = tool("sanitize " + kernel.path + " " + kernel.options + " --json");
        REQUIRE_MESSAGE(run.exit == (kernel.marks.empty() ? 0 : 8), run.out, run.err);
        const nlohmann::json report = run.json();
        CHECK(shown(found_marks(report)) == shown(kernel.marks));
        CHECK(report["clean"] == kernel.marks.empty());
        ++(kernel.marks.empty() ? right : faulty);
    }
    CHECK(faulty >= 19);
    CHECK(right >= 9);
}

TEST_CASE("the text names both accesses with their lines, and ends with what was run") {
    const auto run = tool(races);
    CHECK(run.exit == 8);
    CHECK(run.err.empty());
    CHECK_MESSAGE(contains(run.out, "tests/sanitize/missing_barrier.wgsl:9:16: data_race: Invocation ("),
                  run.out);
    CHECK(contains(run.out, "\n  out[i] = tile[i ^ 1];  // ! data_race\n               ^\n"));
    CHECK(
        contains(run.out, "tests/sanitize/missing_barrier.wgsl:8:3: the earlier write:\n  tile[i] = i * i;"));
    CHECK(contains(run.out,
                   "\nSeen 256 times, with 4 of 4 seeds, seed 0 first.\nFix: put workgroupBarrier(); "));
    CHECK(
        run.out.ends_with("main: 1 finding in the one workgroup, with seeds 0, 1, 2, 3\n"
                          "  grid   1 x 1 x 1 workgroups of 64 x 1 x 1: 64 invocations, as many as out has "
                          "elements\n"));
    const auto clean =
        tool("sanitize examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:256 --bind y=like:x");
    CHECK(clean.exit == 0);
    CHECK(clean.out ==
          "saxpy: no findings in the one workgroup, with seeds 0, 1, 2, 3\n"
          "  grid   1 x 1 x 1 workgroups of 256 x 1 x 1: 256 invocations, as many as y has elements\n");
}

TEST_CASE("the JSON of a race has both sides") {
    const nlohmann::json report = tool(races + "--json --seed 3").json();
    CHECK(report["entry"] == "main");
    CHECK(report["grid"]["workgroups"] == nlohmann::json({1, 1, 1}));
    CHECK(report["workgroups"] == nlohmann::json({{"run", 1}, {"of", 1}, {"sample", false}}));
    REQUIRE(report["runs"].size() == 1);
    CHECK(report["runs"][0]["seed"] == 3);
    CHECK(report["runs"][0]["ended"] == true);
    REQUIRE(report["findings"].size() == 1);
    const nlohmann::json& race = report["findings"][0];
    CHECK(race["kind"] == "data_race");
    CHECK(race["variable"] == "tile");
    CHECK(race["space"] == "workgroup");
    CHECK(race["between_workgroups"] == false);
    CHECK(std::set<std::string>{race["access"], race["other"]["access"]} ==
          std::set<std::string>{"read", "write"});
    CHECK(race["place"].get<std::string>().starts_with("tile["));
    CHECK(race["seeds"] == nlohmann::json({3}));
    CHECK(race["times"] == 64);
    CHECK(race["invocation"]["workgroup"] == nlohmann::json({0, 0, 0}));
    CHECK(race["invocation"]["local"] != race["other"]["invocation"]["local"]);
    for (const nlohmann::json* side : {&race, &race["other"]}) {
        const nlohmann::json& where = (*side)["where"];
        CHECK(where["file"] == "tests/sanitize/missing_barrier.wgsl");
        CHECK(where["text"] == (where["line"] == 8 ? "  tile[i] = i * i;  // ! data_race"
                                                   : "  out[i] = tile[i ^ 1];  // ! data_race"));
    }
}

TEST_CASE("the JSON of an access out of bounds has its index and the length") {
    const nlohmann::json finding = tool(large + "--json").json()["findings"].at(0);
    CHECK(finding["kind"] == "out_of_bounds");
    CHECK(finding["place"] == "data[1000000]");
    CHECK(finding["index"] == 1'000'000);
    CHECK(finding["length"] == 1'000'000);
    CHECK(finding["access"] == "write");
    CHECK(finding["invocation"] == nlohmann::json({{"workgroup", {15624, 0, 0}}, {"local", {63, 0, 0}}}));
    CHECK_FALSE(finding.contains("other"));
}

TEST_CASE("the same seed finds the same, and another order with another") {
    const auto message = [](const std::string& seed) {
        return tool(races + "--json --seed " + seed).json()["findings"][0]["message"].get<std::string>();
    };
    CHECK(message("5") == message("5"));
    std::set<std::string> messages;
    for (const char* seed : {"1", "2", "3", "18446744073709551615"}) messages.insert(message(seed));
    CHECK(messages.size() > 1);
    CHECK(tool(races + "--json --seed 5 --seed 9").json()["runs"].size() == 2);
    CHECK(tool(races + "--json --seeds 7").json()["findings"][0]["seeds"].size() == 7);
}

TEST_CASE("a sample says what it is, and how to run everything") {
    const auto sample = tool(large + "--sample 20 --seed 1");
    CHECK(sample.exit == 8);
    CHECK_MESSAGE(contains(sample.out, "main: 1 finding in 20 of 15625 workgroups, with seed 1\n"),
                  sample.out);
    CHECK(
        contains(sample.out,
                 "  This is a sample: what it finds is true, but there may be more. --sample all runs every "
                 "workgroup.\n"));
    CHECK(contains(tool(large + "--sample 20 --seeds 2").out,
                   " of 15625 workgroups, 20 at a time, with seeds 0, 1\n"));
    const auto whole = tool(large + "--sample all --seeds 1");
    CHECK_MESSAGE(contains(whole.out, "main: 1 finding in all 15625 workgroups, with seed 0\n"), whole.out);
    CHECK_FALSE(contains(whole.out, "sample"));
    const nlohmann::json json = tool(large + "--sample 20 --seed 1 --json").json();
    CHECK(json["workgroups"] == nlohmann::json({{"run", 20}, {"of", 15625}, {"sample", true}}));
}

TEST_CASE("a program with grid barriers has no sample") {
    const Planted kernel = planted("tests/sanitize/grid_barrier.wgsl");
    const std::string command = "sanitize " + kernel.path + " " + kernel.options;
    const auto refused = tool(command + " --sample 10");
    CHECK(refused.exit == 2);
    CHECK(contains(refused.err,
                   "main has grid barriers, at which all workgroups meet: no sample of them can run alone.\n"
                   "Fix: leave out --sample, or run a smaller grid"));
    CHECK(tool(command + " --sample all").exit == 0);
}

TEST_CASE("kinds can be ignored, and findings limited") {
    CHECK(contains(tool(races + "--ignore data_race").out, "read_before_write: "));
    CHECK(tool(races + "--ignore data_race,read_before_write").exit == 0);
    const auto unknown = tool(races + "--ignore data_races");
    CHECK(unknown.exit == 2);
    CHECK_MESSAGE(contains(unknown.err,
                           "--ignore is given \"data_races\", which isn't a kind of finding that can be "
                           "ignored.\nFix: did you mean \"data_race\"?"),
                  unknown.err);
    CHECK(tool(races + "--ignore step_limit").exit == 2);
    const Planted two = planted("tests/sanitize/past_the_end.wgsl");
    const auto limited = tool("sanitize " + two.path + " " + two.options + " --max-findings 1");
    CHECK(limited.exit == 8);
    CHECK_MESSAGE(contains(limited.out, "main: 2 findings, 1 of them not shown in all 2 workgroups"),
                  limited.out);
    CHECK_FALSE(contains(limited.out, ":9:3: "));
}

TEST_CASE("a barrier that validation refuses is a finding; any other fault is a bad program") {
    const auto barrier = tool("sanitize tests/sanitize/divergent_barrier.wgsl --bind out=zeros:u32:100");
    CHECK(barrier.exit == 8);
    CHECK(contains(barrier.out,
                   "divergent_barrier.wgsl:12:3: non_uniform_barrier: The workgroup barrier stands in"));
    CHECK(barrier.out.ends_with(
        "main: 1 finding; nothing was run, since every backend refuses this program.\n"));
    const nlohmann::json json =
        tool("sanitize tests/sanitize/divergent_barrier.wgsl --bind out=zeros:u32:100 --json").json();
    CHECK(json["runs"].empty());
    CHECK(json["grid"].is_null());
    CHECK_FALSE(json["findings"][0].contains("invocation"));

    const std::string wrong =
        scratch_file("wrong.wgsl", "@compute @workgroup_size(1) fn main() { let x: u32 = 1f; }");
    const auto sanitized = tool("sanitize " + wrong), run = tool("run " + wrong);
    CHECK(sanitized.exit == 3);
    CHECK(sanitized.err == run.err);
    CHECK(sanitized.out.empty());
}

TEST_CASE("an endless loop is found, and the text says that nothing was run after it") {
    const auto run =
        tool("sanitize tests/sanitize/endless_loop.wgsl --bind out=zeros:u32:64 --max-steps 3000000");
    CHECK(run.exit == 8);
    CHECK_MESSAGE(
        contains(run.out,
                 "endless_loop.wgsl:8:3: step_limit: Invocation (0, 0, 0) of workgroup (0, 0, 0) is "
                 "still in this loop after 3000000 steps."),
        run.out);
    CHECK(contains(run.out,
                   "  The run with seed 0 didn't end within --max-steps; nothing was run after it.\n"));
}

TEST_CASE("bad input gives the errors of run") {
    const std::string saxpy = "examples/saxpy/saxpy.wgsl ";
    const std::string broken = scratch_file("broken.npy", "not an array");
    for (const std::string& arguments :
         {saxpy + "--bind a=2", saxpy + "--bind a", saxpy + "--bind z=1",
          saxpy + "--bind a=2 --bind x=iota:i32:8 --bind y=zeros:f32:8",
          saxpy + "--bind a=2 --bind x=" + broken + " --bind y=zeros:f32:8",
          saxpy + "--bind a=2 --bind x=absent.npy --bind y=zeros:f32:8",
          saxpy + "--bind a=2 --bind x=iota:f32:8 --bind y=zeros:f32:8 --invocations x",
          saxpy + "--bind a=2 --bind x=iota:f32:8 --bind y=zeros:f32:8 --invocations extent:z",
          saxpy + "--entry nothing", saxpy + "--override x=1", std::string("absent.wgsl")}) {
        CAPTURE(arguments);
        const auto run = tool("run " + arguments), sanitize = tool("sanitize " + arguments);
        CHECK(run.exit == sanitize.exit);
        CHECK(run.exit != 0);
        CHECK(run.err == sanitize.err);
        CHECK(sanitize.out.empty());
    }
    const auto json = tool("sanitize " + saxpy + "--bind a=2 --json");
    CHECK(json.exit == 2);
    CHECK(json.json()["exit"] == 2);
}

TEST_CASE("a grid without workgroups says that nothing was run") {
    const auto run =
        tool("sanitize tests/sanitize/guarded.wgsl --bind source=zeros:f32:0 --bind out=zeros:f32:0");
    CHECK(run.exit == 0);
    CHECK(run.out == "main: nothing was run, since the grid has no workgroups.\n");
}

TEST_CASE("options of sanitize that aren't understood say so") {
    const auto error_of = [](const std::string& options) {
        const auto run = tool(races + options);
        CHECK(run.exit == 2);
        return run.err;
    };
    CHECK(contains(error_of("--sample some"),
                   "--sample is given \"some\", which isn't a number.\n"
                   "Fix: write a number of workgroups, or all"));
    CHECK(contains(error_of("--sample -1"), "which isn't a number."));
    CHECK(contains(error_of("--sample 3"),
                   "A sample of 3 workgroups has no room for the first and the last one"));
    CHECK(contains(error_of("--no-data tile"), "--no-data names \"tile\", which isn't a binding of main."));
    CHECK(contains(error_of("--subgroup-size 3"), "A subgroup can't have 3 invocations."));
    CHECK(contains(error_of("--seeds 0"), "--seeds"));
    CHECK(contains(error_of("--seed x"), "--seed"));
    CHECK(contains(error_of("--seed 1 --seeds 2"), "--seed"));
    CHECK(contains(error_of("--max-steps 0"), "--max-steps"));
}

TEST_CASE("a program is read from standard input, and overrides and subgroups have their sizes") {
    const std::string text =
        "enable subgroups; override n: u32;\n"
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
        "@compute @workgroup_size(64) fn main(@builtin(subgroup_size) size: u32) {\n"
        "  out[n + size] = 1; }\n";
    const auto run = tool_reading(text, std::string(MUSTER_TOOL) +
                                            " sanitize - --bind out=zeros:u32:4 --workgroups 1 "
                                            "--override n=100 --subgroup-size 16 --json");
    CHECK(run.exit == 8);
    const nlohmann::json report = run.json();
    CHECK(report["subgroup_size"] == 16);
    for (const auto& finding : report["findings"])
        if (finding["kind"] == "out_of_bounds") CHECK(finding["index"] == 116);
    CHECK(report["findings"][0]["where"]["file"] == "standard input");
}
