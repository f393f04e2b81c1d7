// --measured, on two fake devices whose roofs are declared here; --tune and --tuned.
#include <doctest/doctest.h>

#include <muster/driver/helper/tuned_overrides.hpp>
#include <muster/driver/routing/roof.hpp>

#include "run_tool.hpp"
#include "support/doubles.hpp"

using muster::test::contains;
using muster::test::scratch_file;
using muster::test::tool;
using muster::test::ToolRun;

namespace {

/// The variable that names the cache of these tests.
std::string measured_cache() { return "MUSTER_CACHE_DIR=" + muster::test::scratch("measured"); }
muster::Verdicts verdicts() { return muster::Verdicts(muster::DiskCache(muster::test::scratch("measured"))); }

ToolRun fake_pair(const std::string& options) {
    return muster::test::tool_reading("", measured_cache() + " " MUSTER_PAIR_TOOL " " + options);
}

/// Declares that pair:0 begins at once and is slow, and pair:1 the opposite.
void declare_roofs() {
    using namespace muster;
    const Roof at_once{.copy_gb_s = 10,
                       .multiply_add_gflop_s = 10,
                       .launch_us = 0.2,
                       .to_device_gb_s = 10,
                       .from_device_gb_s = 10};
    Roof fast = at_once;
    fast.copy_gb_s = fast.multiply_add_gflop_s = 1000;
    fast.launch_us = 10;
    keep_roof(verdicts(), "pair", test::fit_device(0), Precision::exact, at_once);
    keep_roof(verdicts(), "pair", test::fit_device(1), Precision::exact, fast);
}

std::string measured_saxpy(const std::string& count) {
    return "examples/saxpy/saxpy.wgsl --measured --bind a=2 --bind x=iota:f32:" + count +
           " --bind y=zeros:f32:" + count;
}

/// A program whose result is its override constant.
const std::string constant =
    "override k: u32 = 1; @group(0) @binding(0) var<storage, read_write> out: array<u32>;"
    "@compute @workgroup_size(1) fn main() { out[0] = k; }";

ToolRun tune_by(const std::string& options) {
    return tool("bench --backend reference --time 1ms --tune " + options);
}

}  // namespace

TEST_CASE("route tells the device that is estimated to finish first, with its estimate") {
    declare_roofs();
    const nlohmann::json few = fake_pair("route --json " + measured_saxpy("64")).json();
    CHECK(few["id"] == "pair:0");
    for (const nlohmann::json& candidate : few["candidates"])
        if (candidate["backend"] == "pair") CHECK(candidate["estimate"]["total_us"] > 0);
    const nlohmann::json many = fake_pair("route --json " + measured_saxpy("1000000")).json();
    CHECK(many["id"] == "pair:1");
    const ToolRun text = fake_pair("route " + measured_saxpy("64"));
    CHECK_MESSAGE(contains(text.out, "It fits, and is estimated to finish first: "), text.out);
    // Without what it runs on, ranks decide.
    CHECK(fake_pair("route --json --measured examples/saxpy/saxpy.wgsl").json()["id"] == "pair:0");
}

TEST_CASE("run runs there, and says so") {
    declare_roofs();
    const nlohmann::json run = fake_pair("run --json --explain " + measured_saxpy("64")).json();
    CHECK(run["id"] == "pair:0");
    CHECK(run["route"]["id"] == "pair:0");
    CHECK(run["route"]["candidates"].dump().find("estimate") != std::string::npos);
    CHECK(fake_pair("run --json " + measured_saxpy("1000000")).json()["id"] == "pair:1");
    CHECK(fake_pair("run --pin pair " + measured_saxpy("64")).exit == 2);
    CHECK(fake_pair("route examples/saxpy/saxpy.wgsl --only-one --measured").exit == 2);
    CHECK(fake_pair("route examples/saxpy/saxpy.wgsl --bind z=1").exit == 2);
}

TEST_CASE("--tune tries every combination, and doesn't time those that change the results") {
    const std::string text =
        "override lanes: u32 = 4; override wrong: u32 = 0; @group(0) @binding(0) var<storage, read_write> "
        "out: array<u32>;"
        "@compute @workgroup_size(lanes) fn main(@builtin(global_invocation_id) id: vec3u) {"
        "if id.x < arrayLength(&out) { out[id.x] = id.x + wrong; } }";
    const std::string file = scratch_file("tunable.wgsl", text);
    const ToolRun run =
        tune_by(file + " --bind out=zeros:u32:64 --override lanes=8..32 --override wrong=0,1 --json -");
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    const nlohmann::json trials = run.json()["devices"][0]["trials"];
    REQUIRE(trials.size() == 7);
    CHECK(trials[0]["overrides"].empty());
    CHECK(trials[0]["p50_ns"] > 0);
    CHECK(trials[1]["overrides"] == nlohmann::json{{"lanes", "8"}, {"wrong", "0"}});
    CHECK(trials[1]["outcome"] == "measured");
    CHECK(trials[2]["outcome"] == "wrong_result");
    CHECK(trials[2]["text"] == "out differs from that of the defaults");
    CHECK(trials[5]["overrides"]["lanes"] == "32");
    const ToolRun table = tune_by(file + " --bind out=zeros:u32:64 --override lanes=8,16 --override wrong=0");
    CHECK_MESSAGE(contains(table.out, "\n  the defaults  "), table.out);
    CHECK_MESSAGE(contains(table.out, "\n  lanes=16      "), table.out);
}

TEST_CASE("--tune says what is wrong with its options") {
    const std::string file = scratch_file("constant.wgsl", constant);
    const auto error = [&](const std::string& options) {
        const ToolRun run = tune_by(file + " --bind out=zeros:u32:1 " + options);
        CHECK(run.exit != 0);
        return run.err;
    };
    CHECK(contains(error(""), "There is nothing to try"));
    CHECK(contains(error("--override k=3"), "There is nothing to try"));
    CHECK(contains(error("--override k=8..x"), "\"8..x\" isn't a list of values."));
    CHECK(contains(error("--override k=1,,2"), "\"1,,2\" isn't a list of values."));
    CHECK(contains(error("--override k=1,2 --tolerance much"), "--tolerance is given \"much\""));
    CHECK(contains(error("--override l=1,2"), "The program has no override constant \"l\" to tune."));
    CHECK(contains(tool("bench --quick --override k=1,2").err, "--override is given without --tune."));
    CHECK(tool("bench --tune /nowhere.wgsl --override k=1,2").exit == 2);
}

TEST_CASE("run --tuned takes what is kept for its device, and what is given comes first") {
    const std::string file = scratch_file("tuned.wgsl", constant);
    muster::keep_tuned_overrides(constant, "main", "pair", muster::test::fit_device(0),
                                 muster::Precision::exact, {{"k", "7"}}, verdicts());
    const auto fingerprint = [&](const std::string& options) {
        const ToolRun run =
            fake_pair("run --json " + file + " --bind out=zeros:u32:1 --invocations 1 " + options);
        REQUIRE_MESSAGE(run.exit == 0, run.err);
        return std::string(run.json()["fingerprint"]);
    };
    const std::string plain = fingerprint(""), with_7 = fingerprint("--override k=7");
    CHECK(plain != with_7);
    CHECK(fingerprint("--tuned") == with_7);
    CHECK(fingerprint("--tuned --override k=5") == fingerprint("--override k=5"));
    CHECK(fingerprint("--tuned --fast") == plain);
    CHECK(fingerprint("--tuned --pin pair:1") == plain);
    const ToolRun piped = muster::test::tool_reading(
        constant, measured_cache() + " " MUSTER_PAIR_TOOL
                                     " run --json --tuned - --bind out=zeros:u32:1 --invocations 1");
    REQUIRE_MESSAGE(piped.exit == 0, piped.err);
    CHECK(piped.json()["fingerprint"] == with_7);
}
