// The command bench: on the reference backend, and on one whose results are wrong when a program divides (doubles/wrong.cpp).
// No test asserts a time.
#include <cstdlib>

#include <doctest/doctest.h>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::content_of;
using muster::test::scratch;
using muster::test::scratch_file;
using muster::test::tool;
using muster::test::ToolRun;
using Json = nlohmann::json;

namespace {

ToolRun quick(const std::string& options) { return tool("bench --quick --time 1ms " + options); }

ToolRun wrong_bench(const std::string& options) {
    return muster::test::tool_reading("", MUSTER_WRONG_TOOL " bench --quick --time 1ms " + options);
}

/// The figures of saxpy on the reference device.
Json saxpy_figures() {
    const ToolRun run = quick("--backend reference --only saxpy --json -");
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    return run.json();
}

ToolRun compare(const Json& earlier, const std::string& options = "--backend reference --only saxpy") {
    return quick(options + " --compare " + scratch_file("earlier.json", earlier.dump()));
}

}  // namespace

TEST_CASE("every kernel is right on the reference backend and the CPU, with a row each") {
    for (const std::string backend : {"reference", "cpu"}) {
        if (!muster::test::has_backend(backend)) continue;
        for (const std::string mode : {"", " --fast"}) {
            CAPTURE(backend);
            CAPTURE(mode);
            const ToolRun run = quick("--json - --backend " + backend + mode);
            const std::string said = run.err + run.out;
            REQUIRE_MESSAGE(run.exit == 0, said);
            const Json json = run.json();
            CHECK(json["mode"] == (mode.empty() ? "exact" : "fast"));
            REQUIRE(json["devices"].size() == 1);
            const Json& device = json["devices"][0];
            CHECK(device["id"] == backend + ":0");
            CHECK(device["device"]["name"].is_string());
            for (const auto& [name, value] : device["roof"].items()) {
                CAPTURE(name);
                CHECK(value > 0);
            }
            std::string names;
            for (const Json& kernel : device["kernels"]) {
                names += " " + std::string(kernel["name"]);
                CAPTURE(kernel.dump());
                CHECK(kernel["outcome"] == "measured");
                CHECK(kernel["p50_ns"] > 0);
                CHECK(kernel["p95_ns"] >= kernel["p50_ns"]);
                CHECK(kernel["bytes"] > 0);
                CHECK(kernel["roof_percent"] > 0);
            }
            CHECK(names ==
                  " saxpy reduction scan sgemm stencil histogram nbody mandelbrot radix_sort spmv softmax "
                  "layernorm "
                  "transpose black_scholes matvec_q4");
        }
    }
}

TEST_CASE("the table says the mode, the roof and each kernel's share of it") {
    const ToolRun run = quick("--backend reference --only sgemm,saxpy");
    CHECK_MESSAGE(run.exit == 0, run.err);
    CHECK(run.err.empty());
    CHECK_MESSAGE(run.out.starts_with("reference:0  "), run.out);
    CHECK(contains(run.out, ", exact mode\n  the roof\n    copy "));
    CHECK(contains(run.out, " GFLOP/s, a multiplication and an addition, each rounded\n"));
    CHECK(contains(run.out, "  kernel         size "));
    CHECK(contains(run.out, "\n  saxpy          4096 floats "));
    CHECK(contains(run.out, "\n  sgemm          70 x 90 x 50 "));
    CHECK_FALSE(contains(run.out, "stencil"));
    CHECK_FALSE(contains(run.out, "compared"));
    CHECK(run.out.find("saxpy") < run.out.find("sgemm"));  // in the order of the list
}

TEST_CASE("a kernel that is wrong isn't timed, others are") {
    const ToolRun run = wrong_bench("--backend wrong:0 --only saxpy,radix_sort --json -");
    CHECK_MESSAGE(run.exit == 7, run.err);
    Json kernels = run.json()["devices"][0]["kernels"];
    REQUIRE(kernels.size() == 2);
    CHECK(kernels[0]["outcome"] == "measured");
    CHECK(kernels[1]["name"] == "radix_sort");
    CHECK(kernels[1]["outcome"] == "wrong_result");
    CHECK_MESSAGE(contains(kernels[1]["text"], "sorted_keys["), kernels[1]["text"]);
    CHECK_FALSE(kernels[1].contains("p50_ns"));
    CHECK_FALSE(kernels[1].contains("gb_s"));
    const ToolRun table = wrong_bench("--backend wrong:0 --only radix_sort");
    CHECK(table.exit == 7);
    CHECK_MESSAGE(contains(table.out, "\n  radix_sort     WRONG, not timed: sorted_keys["), table.out);
}

TEST_CASE("a kernel that a device can't run or doesn't end has a row with the reason") {
    const ToolRun run =
        wrong_bench("--backend wrong:1,wrong:2 --only saxpy,softmax --timeout 200ms --json -");
    CHECK_MESSAGE(run.exit == 5, run.err);
    const Json devices = run.json()["devices"];
    REQUIRE(devices.size() == 2);
    for (const Json& device : devices) CHECK(device["kernels"][0]["outcome"] == "measured");
    CHECK(devices[0]["kernels"][1]["outcome"] == "failed");
    CHECK(contains(devices[0]["kernels"][1]["text"], "The wrong compiler knows no division."));
    CHECK(devices[1]["kernels"][1]["outcome"] == "failed");
    CHECK_MESSAGE(contains(devices[1]["kernels"][1]["text"], "still runs"), devices[1]["kernels"][1]["text"]);
}

TEST_CASE("the roofline is valid XML, with a point or a bar for each kernel") {
    const std::string file = scratch("roofline.svg");
    const ToolRun run = wrong_bench("--backend wrong:0 --only saxpy,transpose,radix_sort --svg " + file);
    CHECK(run.exit == 7);
    const std::string svg = content_of(file);
    CHECK(svg.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "));
    CHECK(contains(svg, "wrong:0  a &lt;wrong&gt; device &amp; its &quot;name&quot;, exact mode"));
    CHECK(contains(svg, "<circle "));
    CHECK(contains(svg, "><title>saxpy: "));
    CHECK_FALSE(contains(svg, "><title>transpose: "));  // it computes nothing
    CHECK(contains(svg, ">transpose</text>"));
    CHECK(contains(svg, ">wrong, not timed</text>"));
    if (std::system("command -v xmllint >/dev/null") == 0)
        CHECK(std::system(("xmllint --noout " + file).c_str()) == 0);
}

TEST_CASE("--compare tells how many times as fast each kernel is") {
    Json earlier = saxpy_figures();
    const ToolRun same = compare(earlier);
    CHECK_MESSAGE(same.exit == 0, same.err);
    CHECK(same.err.empty());
    CHECK_MESSAGE(contains(same.out, "of roof   compared\n"), same.out);
    CHECK(contains(same.out, "compared: how many times as fast as in " + scratch("earlier.json")));

    // A run of an hour, then: whatever it takes now, it is faster.
    Json& kernel = earlier["devices"][0]["kernels"][0];
    kernel["p50_ns"] = 3'600'000'000'000;
    const Json now =
        compare(earlier, "--backend reference --only saxpy --json -").json()["devices"][0]["kernels"][0];
    CHECK(now["compared"] > 1000);
    CHECK(now["compared"] == 3.6e12 / now["p50_ns"].get<double>());

    kernel["size"] = "7 floats";
    CHECK(compare(earlier, "--backend reference --only saxpy --json -")
              .json()["devices"][0]["kernels"][0]["compared"] == nullptr);
    kernel["name"] = "daxpy";
    const ToolRun unknown = compare(earlier);
    CHECK(unknown.exit == 0);
    CHECK(unknown.err == "warning: " + scratch("earlier.json") + " has kernels that there aren't: daxpy.\n");
}

TEST_CASE("figures of another machine or mode aren't compared, and why is said") {
    const Json earlier = saxpy_figures();
    Json other = earlier;
    other["devices"][0]["device"]["name"] = "another";
    const ToolRun run = compare(other);
    CHECK(run.exit == 0);
    CHECK_MESSAGE(run.err.starts_with("warning: " + scratch("earlier.json") +
                                      " is of another machine: there reference:0 is another with "),
                  run.err);
    CHECK(contains(run.err, " Nothing is compared.\n"));
    CHECK_FALSE(contains(run.out, "compared"));
    other = earlier;
    other["devices"][0]["id"] = "reference:9";
    CHECK(contains(compare(other).err, " has none of the devices that are measured. Nothing is compared.\n"));
    CHECK(contains(compare(earlier, "--backend reference --only saxpy --fast").err,
                   " was measured in exact mode, this in fast mode. Nothing is compared.\n"));
}

TEST_CASE("a file that isn't one of bench's is refused before anything is measured") {
    const Json earlier = saxpy_figures();
    const auto refusal = [](const std::string& text) {
        const ToolRun run = quick("--backend reference --compare " + scratch_file("broken.json", text));
        CHECK_MESSAGE(run.exit == 2, run.err);
        CHECK(run.out.empty());
        CHECK(contains(run.err, "Fix: give a file that muster bench --json has written"));
        return run.err;
    };
    const std::string file = scratch("broken.json");
    CHECK(contains(refusal("{"), file + " isn't JSON."));
    CHECK(contains(refusal("[]"), file + ": mode is missing."));
    Json broken = earlier;
    broken["devices"] = 1;
    CHECK(contains(refusal(broken.dump()), file + ": devices isn't an array."));
    broken = earlier;
    broken["devices"][0]["kernels"][0]["p50_ns"] = 0;
    CHECK(
        contains(refusal(broken.dump()), file + ": devices[0].kernels[0].p50_ns isn't an integer above 0."));
    broken = earlier;
    broken["devices"][0]["device"].erase("name");
    CHECK(contains(refusal(broken.dump()), file + ": devices[0].device.name is missing."));
    CHECK(quick("--backend reference --compare /nowhere.json").exit == 2);
}

TEST_CASE("what bench doesn't understand is refused") {
    const ToolRun kernel = quick("--backend reference --only saxpi");
    CHECK(kernel.exit == 2);
    CHECK_MESSAGE(kernel.err == "There is no kernel \"saxpi\" to measure.\nFix: did you mean \"saxpy\"?\n",
                  kernel.err);
    const ToolRun device = quick("--backend nothing");
    CHECK(device.exit == 4);
    CHECK(contains(device.err, "\"nothing\" has no device to measure."));
    CHECK(quick("--time 0").exit == 2);
    CHECK(contains(quick("--json - --svg -").err, "Standard output can't take both --json and --svg -."));
    CHECK(quick("--svg /nowhere/roofline.svg").exit == 2);
    CHECK(contains(tool("complete KERNEL").out, "black_scholes\n"));
}
