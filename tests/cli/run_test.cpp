// `run` from a user's view: its outputs, its time limit, its compile specs, its explanation.
#include <algorithm>
#include <cstring>

#include <doctest/doctest.h>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::has_backend;
using muster::test::scratch_file;
using muster::test::tool;
using muster::test::tool_reading;

namespace {

const std::string run_saxpy =
    "run examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:4 --bind y=zeros:f32:4 ";

}  // namespace

TEST_CASE("values go to standard output alone, the summary to standard error, unless it is left out") {
    const auto both = tool(run_saxpy + "--out y=-");
    CHECK(both.exit == 0);
    CHECK(both.out == "0\n2\n4\n6\n");
    CHECK(contains(both.err, "  y: array<f32>, 4 elements, xxh3 "));
    for (const char* quiet : {"--quiet", "-q"}) {
        const auto values = tool(run_saxpy + "--out y=- " + quiet);
        CHECK(values.out == both.out);
        CHECK_MESSAGE(!contains(values.err, "saxpy on"), values.err);
    }
    CHECK(contains(tool(run_saxpy + "--quiet --explain").err, "saxpy executes on"));
    CHECK_FALSE(tool(run_saxpy + "--quiet --json").json()["outputs"].empty());
}

TEST_CASE("--explain tells of backends that were all asked") {
    for (const std::string& command :
         {std::string(MUSTER_TOOL) + " " + run_saxpy, std::string(MUSTER_PAIR_TOOL) + " " + run_saxpy}) {
        const auto run = tool_reading("", command + "--explain --json");
        REQUIRE_MESSAGE(run.exit == 0, run.err);
        const auto explained = run.json();
        for (const auto& candidate : explained["route"]["candidates"])
            CHECK_MESSAGE(candidate["reason"] != "not_asked", candidate.dump());
        CHECK_FALSE(contains(tool_reading("", command + "--explain").err, "not_asked"));
    }
    // This is reported only if all backends are probed.
    const std::string hidden = "PAIR_VISIBLE=0 " MUSTER_PAIR_TOOL " " + run_saxpy;
    CHECK(contains(tool_reading("", hidden + "--explain").err, "PAIR_VISIBLE=\"0\" is set"));
    CHECK_FALSE(tool_reading("", hidden + "--explain --json").json()["notes"].empty());
    CHECK_FALSE(contains(tool_reading("", hidden).err, "PAIR_VISIBLE"));
}

TEST_CASE("--timeout gives up a kernel that doesn't end") {
    const std::string path = scratch_file(
        "endless.wgsl",
        "@group(0) @binding(0) var<storage, read_write> y: array<atomic<u32>>;\n"
        "@compute @workgroup_size(1) fn endless() { loop { if atomicLoad(&y[0]) == 1u { break; } } }\n");
    for (const char* backend : {"reference", "cpu"}) {
        if (!has_backend(backend)) continue;
        CAPTURE(backend);
        const auto run =
            tool("run " + path + " --bind y=0 --workgroups 1 --timeout 300ms --json --backend " + backend);
        CHECK(run.exit == 5);
        const std::string message = run.json()["error"]["message"];
        CHECK_MESSAGE(contains(message, "endless still runs on " + std::string(backend) + ":0 after 300 ms"),
                      message);
    }
    CHECK(tool(run_saxpy + "--timeout 1h").exit == 0);
    for (const char* wrong : {"0", "x", "-1", "1y", "1e99", "nan", "inf"}) {
        const auto run = tool(run_saxpy + "--timeout=" + wrong);
        CHECK(run.exit == 2);
        CHECK(contains(run.err, "isn't a length of time"));
    }
}

TEST_CASE("--spec width chooses how many invocations go together, and changes nothing of the results") {
    if (!has_backend("cpu")) return;
    const auto outputs = tool(run_saxpy + "--backend cpu --json").json()["outputs"];
    for (const char* width : {"1", "4", "16", "64"})
        CHECK(tool(run_saxpy + "--backend cpu --json --spec width=" + width).json()["outputs"] == outputs);
    const auto refusal = [&](const std::string& options) {
        const auto run = tool(run_saxpy + options);
        CHECK_MESSAGE(run.exit == 2, run.err);
        return run.err;
    };
    CHECK(contains(refusal("--backend cpu --spec width=3"), "not a power of two"));
    CHECK(contains(refusal("--backend cpu --spec nothing=1"), "cpu has no compile spec \"nothing\"."));
    CHECK(contains(refusal("--backend cpu --spec symbol=f"), "\"symbol\" of cpu is for emission alone"));
    CHECK(
        contains(refusal("--backend reference --spec width=4"), "reference has no compile spec \"width\"."));
    CHECK(contains(refusal("--spec width"), "isn't NAME=VALUE"));
}

TEST_CASE("a backend's misspelt name is told first") {
    if (!has_backend("reference")) return;
    const auto run = tool(run_saxpy + "--backend referense");
    CHECK(run.exit == 4);
    CHECK_MESSAGE(
        run.err.starts_with(
            "Nothing can execute saxpy: no backend is called \"referense\"; did you mean \"reference\"?"),
        run.err);
}

TEST_CASE("what can't be printed of names from outside is shown as escapes") {
    const std::string escape = "\x1b[31mred";
    const auto is_safe = [](const std::string& text) { return text.find('\x1b') == std::string::npos; };
    for (const auto& run :
         {tool("route '/nowhere/" + escape + ".wgsl'"),
          tool(run_saxpy + "--out 'y=/nowhere/" + escape + ".npy'"),
          tool("run examples/saxpy/saxpy.wgsl --bind a=1 --bind y=1 --bind 'x=" + escape + ".npy'"),
          tool("route examples/saxpy/saxpy.wgsl '--" + escape + "'"),
          tool("emit examples/saxpy/saxpy.wgsl -o /dev/null --backend '" + escape + "'"),
          tool("help '" + escape + "'")}) {
        CHECK(run.exit != 0);
        CHECK(is_safe(run.err + run.out));
        CHECK_MESSAGE(contains(run.err, "\\x1b[31mred"), run.err);
    }
    CHECK(
        is_safe(tool("route " + scratch_file("escape.wgsl", "// " + escape + "\nfn " + escape + "\n")).err));
    CHECK(is_safe(tool("emit examples/saxpy/saxpy.wgsl --backend reference -o '" +
                       muster::test::scratch(escape + ".wgsl") + "'")
                      .out));
}

TEST_CASE("help and version have the names that people try") {
    CHECK(tool("-V").out == tool("--version").out);
    CHECK(tool("help").out == tool("--help").out);
    for (const std::string command : {"backends", "route", "run", "emit"})
        CHECK(tool("help " + command).out == tool(command + " --help").out);
    const auto unknown = tool("help nothing");
    CHECK(unknown.exit == 2);
    CHECK(contains(unknown.err, "There is no command \"nothing\""));
}

TEST_CASE("an .npy of another type is converted, and said so; an .npz is asked for one of its arrays") {
    // The bytes that numpy.save writes for numpy.arange(4.0) and numpy.array([1.5, 1e300]).
    const auto npy = [](const std::string& name, std::vector<double> values) {
        std::string header =
            "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }";
        header.append(117 - header.size(), ' ');
        std::string data(values.size() * 8, '\0');
        std::memcpy(data.data(), values.data(), data.size());
        return scratch_file(name, std::string("\x93NUMPY\x01\0v\0", 10) + header + "\n" + data);
    };
    const auto run =
        tool("run examples/saxpy/saxpy.wgsl --bind a=2 --bind y=zeros:f32:4 --out y=- --bind x=" +
             npy("f64.npy", {0, 1, 2, 3}));
    CHECK(run.out == "0\n2\n4\n6\n");
    CHECK_MESSAGE(contains(run.err, "f64.npy\": f64 is converted to f32"), run.err);
    const auto refused = tool("run examples/saxpy/saxpy.wgsl --bind a=2 --bind y=zeros:f32:2 --bind x=" +
                              npy("large.npy", {1.5, 1e300}));
    CHECK(refused.exit == 2);
    CHECK(contains(refused.err, "holds 1e+300 at [1], which isn't an f32."));
}

TEST_CASE("TYPE may be any type that the program declares, spelt with or without spaces") {
    const std::string path =
        scratch_file("digests.wgsl",
                     "alias Word = u32;\nconst words = 8;\nalias Digest = array<Word, words>;\nstruct Pair { "
                     "a: u32, b: vec2f }\n"
                     "@group(0) @binding(0) var<storage, read_write> digests: array<Digest>;\n"
                     "@group(0) @binding(1) var<storage, read_write> pairs: array<Pair>;\n"
                     "@group(0) @binding(2) var<storage, read_write> corners: array<array<vec4f, 2>>;\n"
                     "@compute @workgroup_size(1) fn main() { digests[0][1] = 1; pairs[0].a = 2; "
                     "corners[0][1].x = 3; }\n");
    for (const char* type :
         {"Digest", "array<u32, 8>", "array<u32,8>", "array<Word,8>", " array < u32 , 8 > "})
        for (const char* corner : {"array<vec4f,2>", "array<vec4<f32>, 2>"}) {
            const auto run =
                tool("run " + path + " --workgroups 1 --quiet --bind 'digests=zeros:" + type +
                     ":2' --bind pairs=zeros:Pair:2 --bind 'corners=zeros:" + corner + ":1' --out digests=-");
            CHECK_MESSAGE(run.exit == 0, run.err);
            CHECK(run.out == "0 1 0 0 0 0 0 0\n0 0 0 0 0 0 0 0\n");
        }
    const auto wrong = tool("run " + path +
                            " --workgroups 1 --bind digests=zeros:Word:2 --bind pairs=zeros:Pair:2 "
                            "--bind 'corners=zeros:array<vec4f,2>:1'");
    CHECK(wrong.exit == 2);
    CHECK(contains(wrong.err, "its elements are array<u32, 8>, not Word"));
}

TEST_CASE("--validate warns with the lines of `sanitize`, and runs; MUSTER_VALIDATE=error doesn't run") {
    const std::string racing = "run tests/sanitize/missing_barrier.wgsl --bind out=zeros:u32:64 --quiet ";
    for (const auto& run : {tool(racing + "--validate"), tool(racing, "MUSTER_VALIDATE=1"),
                            tool(racing + "--validate", "MUSTER_VALIDATE=error")}) {
        CHECK(run.exit == 0);
        CHECK_MESSAGE(run.err.starts_with("muster: warning: Validation of main on "), run.err);
        CHECK(contains(run.err, "\ntests/sanitize/missing_barrier.wgsl:9:16: data_race: Invocation ("));
        CHECK(contains(run.err, "\n  out[i] = tile[i ^ 1];  // ! data_race\n               ^\n"));
    }
    const auto refused = tool(racing, "MUSTER_VALIDATE=error");
    CHECK(refused.exit == 3);
    CHECK_MESSAGE(refused.err.starts_with("Validation of main on "), refused.err);
    CHECK(contains(refused.err, "\ntests/sanitize/missing_barrier.wgsl:9:16: data_race: Invocation ("));
    CHECK(tool(racing).err.empty());
    const std::string clean =
        "run examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:256 --bind y=like:x --quiet ";
    CHECK(tool(clean + "--validate").err.empty());
    const auto wrong = tool(racing, "MUSTER_VALIDATE=on");
    CHECK(wrong.exit == 2);
    CHECK(contains(wrong.err, "\"on\" isn't a kind of validation.\n  while reading MUSTER_VALIDATE=\"on\""));
}

TEST_CASE("--devices runs one dispatch on several devices, with the same values") {
    if (!has_backend("cpu")) return;
    const std::string both = run_saxpy + "--devices cpu,cpu ";
    const auto values = tool(both + "--out y=-");
    REQUIRE_MESSAGE(values.exit == 0, values.err);
    CHECK(values.out == "0\n2\n4\n6\n");
    CHECK(contains(values.err, "saxpy on cpu and cpu, exact"));
    const auto json = tool(both + "--json").json();
    CHECK(json["devices"] == nlohmann::json{"cpu", "cpu"});
    CHECK(json["outputs"] == tool(run_saxpy + "--json").json()["outputs"]);
    CHECK(contains(tool(both + "--explain").err, "member 1 (cpu:0)"));
    CHECK(contains(tool(both + "--repeat 2").err, "--devices runs once"));
    CHECK(contains(tool(both + "--timeout 1").err, "A run with --devices has no time limit"));
    CHECK(contains(tool("run model.graph --devices cpu,cpu").err, "--devices is for programs"));
    const auto missing = tool(run_saxpy + "--devices cpu,cpu:9");
    CHECK(missing.exit != 0);
    CHECK(contains(missing.err, "cpu:9"));
}
