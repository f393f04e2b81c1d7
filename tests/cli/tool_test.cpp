// The tool from end to end: exit codes, text and JSON, from a user's view.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>
#include <sched.h>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::content_of;
using muster::test::has_backend;
using muster::test::scratch;
using muster::test::scratch_file;
using muster::test::tool;

namespace {

const std::string saxpy = "examples/saxpy/saxpy.wgsl";
const std::string saxpy_binds = " --bind a=2 --bind x=iota:f32:8 --bind y=10,20,30,40,50,60,70,80 ";

/// The ids of all backends that the tool has, separated by commas, for results that must not depend on the
/// selection.
std::string every_backend() {
    const nlohmann::json linked = tool("backends --json").json();
    std::string all;
    for (const auto& backend : linked["backends"])
        all += (all.empty() ? "" : ",") + backend["id"].get<std::string>();
    return all;
}

/// The example commands of a help text, without "muster". Files in build/ are moved to a folder of the test,
/// because a build's folder may have another name.
std::vector<std::string> examples_in(const std::string& help) {
    std::vector<std::string> commands;
    for (std::size_t at = help.find("  muster "); at != std::string::npos;
         at = help.find("  muster ", at + 1)) {
        std::string command = help.substr(at + 9, help.find('\n', at) - at - 9);
        if (const std::size_t output = command.find(" build/"); output != std::string::npos)
            command.replace(output, 7, " " + scratch(""));
        commands.push_back(std::move(command));
    }
    return commands;
}

}  // namespace

TEST_CASE("--version and --help print and succeed") {
    const auto version = tool("--version");
    CHECK(version.exit == 0);
    CHECK(version.out.starts_with("muster "));
    const auto help = tool("--help");
    CHECK(help.exit == 0);
    for (const char* command : {"backends", "route", "run", "emit", "sanitize", "new-backend"})
        CHECK(contains(help.out, command));
}

TEST_CASE("the example of each command's help works as printed") {
    for (const std::string command : {"backends", "route", "run", "emit", "sanitize", "new-backend"}) {
        const auto help = tool(command + " --help");
        CHECK(help.exit == 0);
        const auto examples = examples_in(help.out);
        CHECK(examples.size() == 1);
        for (const std::string& example : examples) {
            const auto run = tool(example);
            CHECK_MESSAGE(run.exit == 0, "muster ", example, ": ", run.err);
        }
    }
}

TEST_CASE("a wrong command line exits with 2 and says what is wrong") {
    const std::vector<std::string> commands{"",
                                            "nothing",
                                            "run",
                                            "run " + saxpy + " --nothing",
                                            "run " + saxpy + " --repeat 0",
                                            "emit " + saxpy,
                                            "run " + saxpy + " --bind a",
                                            "run " + saxpy + saxpy_binds + "--bind z=1",
                                            "run " + saxpy + " --bind a=2",
                                            "run " + saxpy + saxpy_binds + "--workgroups x",
                                            "run " + saxpy + saxpy_binds + "--workgroups 1,1,1,1",
                                            "run " + saxpy + saxpy_binds + "--workgroups 1 --invocations 1",
                                            "run " + saxpy + saxpy_binds + "--out y=y.txt",
                                            "run " + saxpy + saxpy_binds + "--out z=-",
                                            "run " + saxpy + saxpy_binds + "--entry nothing",
                                            "run " + saxpy + saxpy_binds + "--override nothing=1",
                                            "run /nowhere/x.wgsl",
                                            "emit " + saxpy + " --target nowhere:x -o /dev/null"};
    for (const std::string& command : commands) {
        const auto run = tool(command);
        CHECK_MESSAGE(run.exit == 2, "muster ", command, ": ", run.err);
        CHECK(!run.err.empty());
        CHECK(run.out.empty());
    }
    CHECK(contains(tool("").err, "No command is given"));
    CHECK(contains(tool("runn").err, "There is no command \"runn\".\nFix: did you mean \"run\"?"));
}

TEST_CASE("an option that isn't there is told with the one that was meant") {
    const auto says = [](const std::string& command, const std::string& text) {
        const auto run = tool(command);
        CHECK(run.exit == 2);
        CHECK_MESSAGE(contains(run.err, text), run.err);
    };
    says("run " + saxpy + " --precision fast",
         "run has no option --precision.\nFix: did you mean --fast? Else see muster run --help");
    says("run " + saxpy + " --bakend=cpu", "run has no option --bakend.\nFix: did you mean --backend?");
    says("check --device cpu:0", "check has no option --device.\nFix: did you mean --backend");
    says("run " + saxpy + " --qqqq", "run has no option --qqqq.\nFix: see muster run --help");
    says("--nothing", "muster has no option --nothing.\nFix: see muster --help");
}

TEST_CASE("standard output is for the JSON or for the values, not for both") {
    for (const std::string& command :
         {"run " + saxpy + saxpy_binds + "--json --out y=-", "emit " + saxpy + " --json -o -"}) {
        const auto run = tool(command);
        CHECK(run.exit == 2);
        CHECK(contains(run.json()["error"]["message"].get<std::string>(), "both --json and"));
    }
}

TEST_CASE("what can't be written exits with 5, a file before anything runs") {
    for (const std::string path : {"/nowhere/y.npy", "/y.bin/y.npy"}) {
        const auto run = tool("run " + saxpy + saxpy_binds + "--out y=" + path);
        CHECK(run.exit == 5);
        CHECK(run.out.empty());
        CHECK(contains(run.err, "\"" + path + "\" can't be written"));
    }
    for (const std::string& command :
         {std::string("backends"), "route " + saxpy + " --json", "run " + saxpy + saxpy_binds + "--json",
          "run " + saxpy + saxpy_binds + "--out y=-"}) {
        const auto run = muster::test::tool_reading("", "(" MUSTER_TOOL " " + command + " >/dev/full)");
        CHECK(run.exit == 5);
        CHECK(contains(run.err, "Standard output can't be written: No space left on device."));
    }
}

TEST_CASE("where standard error can't be written, the exit code still says what happened") {
    for (const char* to : {" 2>/dev/full", " 2>&-"}) {
        CAPTURE(to);
        const auto exit = [&](const std::string& command) {
            return muster::test::tool_reading("", "(" MUSTER_TOOL " " + command + to + ")").exit;
        };
        CHECK(exit("backends --bogus") == 2);
        CHECK(exit("route /nonexistent.wgsl") == 2);
        CHECK(exit("run " + saxpy) == 2);
        CHECK(exit("backends") == 0);
    }
}

TEST_CASE("an empty value is refused: it is a variable that isn't set, and not \"any\"") {
    for (const std::string option :
         {"--pin", "--kind", "--min-memory", "--backend", "--exclude", "--tag", "--require"}) {
        CAPTURE(option);
        const auto run = tool("route " + saxpy + " " + option + " ''");
        CHECK(run.exit == 2);
        CHECK_MESSAGE(contains(run.err, "empty"), run.err);
    }
    for (const std::string option : {"--target", "--backend", "--format"})
        CHECK(tool("emit " + saxpy + " -o - " + option + " ''").exit == 2);
    CHECK(tool("backends --target ''").exit == 2);
    CHECK(tool("run " + saxpy + saxpy_binds + "--workgroups ''").exit == 2);
}

TEST_CASE("a compile budget is a number of seconds, on the command line as in the environment") {
    for (const std::string& command : {"run " + saxpy + saxpy_binds, "emit " + saxpy + " -o - "}) {
        CHECK(tool(command + " --compile-budget 1000").exit == 0);
        const auto wrong = tool(command + " --compile-budget soon");
        CHECK(wrong.exit == 2);
        CHECK_MESSAGE(contains(wrong.err, "\"soon\" isn't a compile budget"), wrong.err);
        CHECK(tool(command, "MUSTER_COMPILE_BUDGET=-1").exit == 2);
    }
    const auto told = tool("route " + saxpy + " --compile-budget 0.5", "MUSTER_COMPILE_BUDGET=60");
    CHECK_MESSAGE(
        contains(told.out, "compile_budget: 0.5 s (from the session's policy, over MUSTER_COMPILE_BUDGET)"),
        told.out);
}

TEST_CASE("what is done after a failure is a word, on the command line as in the environment") {
    CHECK(tool("run " + saxpy + saxpy_binds + " --on-failure next").exit == 0);
    const auto wrong = tool("route " + saxpy + " --on-failure twice");
    CHECK(wrong.exit == 2);
    CHECK_MESSAGE(contains(wrong.err, "\"twice\" isn't what can be done after a failure"), wrong.err);
    CHECK(tool("route " + saxpy, "MUSTER_ON_FAILURE=twice").exit == 2);
    const auto told = tool("route " + saxpy + " --on-failure retry", "MUSTER_ON_FAILURE=next");
    CHECK_MESSAGE(contains(told.out, "on_failure: retry (from the session's policy, over MUSTER_ON_FAILURE)"),
                  told.out);
}

TEST_CASE("a pack of patterns is an id, on the command line as in the environment") {
    const auto wrong = tool("route " + saxpy + " --pack Mine");
    CHECK(wrong.exit == 2);
    CHECK_MESSAGE(contains(wrong.err, "\"Mine\" can't be the id of a pack of patterns."), wrong.err);
    CHECK(tool("route " + saxpy, "MUSTER_PACK=Mine").exit == 2);
    const auto told = tool("route " + saxpy + " --pack npu", "MUSTER_PACK=portable");
    CHECK_MESSAGE(contains(told.out, "pack: npu (from the session's policy, over MUSTER_PACK)"), told.out);
}

TEST_CASE("an endless file is no program") {
    const auto run = tool("route /dev/zero");
    CHECK(run.exit == 2);
    CHECK(contains(run.err, "has more than the 67108864 bytes"));
}

TEST_CASE("atomics take their numbers' type, and a structure's head is printed on a line of its own") {
    const std::string path = scratch_file(
        "tally.wgsl",
        "struct Tally { total: atomic<u32>, scale: vec2f, bins: array<atomic<u32>> }\n"
        "@group(0) @binding(0) var<storage, read_write> tally: Tally;\n"
        "@group(0) @binding(1) var<storage, read_write> more: array<atomic<u32>>;\n"
        "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
        "  atomicAdd(&tally.total, 1u); atomicAdd(&tally.bins[id.x], id.x); atomicAdd(&more[id.x], 7u);\n"
        "}\n");
    const auto run = tool(
        "run " + path + " --bind tally=5,1.5,2.5,0,0,0 --bind more=zeros:u32:3 --workgroups 3 --out tally=-");
    CHECK_MESSAGE(run.exit == 0, run.err);
    CHECK(run.out == "8 1.5 2.5\n0\n1\n2\n");
    CHECK(contains(run.err, "7 7 7"));
    const auto misfit = tool("run " + path + " --bind tally=5,1.5,2.5,0 --bind more=zeros:i32:3");
    CHECK(misfit.exit == 2);
    CHECK(contains(misfit.err, "write atomic<u32> instead of i32"));
}

TEST_CASE("a wrong program exits with 3 and shows each fault with its place") {
    const std::string path =
        scratch_file("wrong.wgsl", "@compute @workgroup_size(1)\nfn main() {\n  let x = nothing;\n}\n");
    for (const std::string command : {"route ", "run ", "emit -o /dev/null "}) {
        const auto run = tool(command + path);
        CHECK(run.exit == 3);
        CHECK(contains(run.err, "wrong.wgsl:3:11: error: "));
        CHECK(contains(run.err, "^"));
    }
    CHECK(tool("route " + scratch_file("empty.wgsl", "")).exit == 3);
}

TEST_CASE("where no backend may run it, the tool refuses with 4, or offers code with 6") {
    const std::string exclude_all = "--exclude " + every_backend();
    const auto refused = tool("run " + saxpy + saxpy_binds + exclude_all);
    CHECK(refused.exit == 4);
    CHECK(contains(refused.err, "reference"));
    const auto missing = tool("route " + saxpy + " --backend cuda9");
    CHECK(missing.exit == 4);
    CHECK(contains(missing.out, "cuda9"));
    const auto json = tool("run " + saxpy + saxpy_binds + exclude_all + " --json");
    CHECK(json.exit == 4);
    CHECK(json.json()["exit"] == 4);
    CHECK(json.json()["error"]["code"] == "refused");
}

TEST_CASE("run writes what the kernel computed, and says where and how long") {
    const auto printed = tool("run " + saxpy + saxpy_binds + "--backend reference --out y=-");
    CHECK_MESSAGE(printed.exit == 0, printed.err);
    CHECK(contains(printed.err, "saxpy on reference:0"));
    CHECK(contains(printed.err, "as many as y has elements"));
    CHECK(printed.out == "10\n22\n34\n46\n58\n70\n82\n94\n");

    const std::string npy = scratch("y.npy"), raw = scratch("y.bin");
    CHECK(tool("run " + saxpy + saxpy_binds + "--out y=" + npy).exit == 0);
    CHECK(content_of(npy).size() == 128 + 32);
    // Written files can be read as inputs.
    const auto again =
        tool("run " + saxpy + " --bind a=1 --bind x=zeros:f32:8 --bind y=" + npy + " --out y=" + raw);
    CHECK(again.exit == 0);
    CHECK(content_of(raw) == content_of(npy).substr(128));
}

TEST_CASE("repeats don't add up, and their times are min, median and max") {
    const auto once = tool("run " + saxpy + saxpy_binds + "--json").json();
    const auto often = tool("run " + saxpy + saxpy_binds + "--json --repeat 5").json();
    CHECK(once["outputs"] == often["outputs"]);
    CHECK(often["runs"] == 5);
    for (const char* clock : {"wall_ns", "device_ns"}) {
        CHECK(often[clock]["min"] <= often[clock]["median"]);
        CHECK(often[clock]["median"] <= often[clock]["max"]);
    }
    CHECK(often["wall_ns"]["min"] > 0);
    CHECK(often["first_ns"] > 0);
}

TEST_CASE("run --json has every field") {
    const auto json = tool("run " + saxpy + saxpy_binds + "--backend reference --explain --json").json();
    CHECK(json["program"] == saxpy);
    CHECK(json["entry"] == "saxpy");
    CHECK(json["fingerprint"].get<std::string>().size() == 64);
    CHECK(json["backend"] == "reference");
    CHECK(json["device"].is_string());
    CHECK(json["mode"] == "execute");
    CHECK(json["precision"] == "exact");
    CHECK(json["grid"]["workgroups"] == nlohmann::json{1, 1, 1});
    CHECK(json["grid"]["workgroup_size"] == nlohmann::json{256, 1, 1});
    REQUIRE(json["outputs"].size() == 1);
    CHECK(json["outputs"][0]["name"] == "y");
    CHECK(json["outputs"][0]["type"] == "array<f32>");
    CHECK(json["outputs"][0]["count"] == 8);
    CHECK(json["outputs"][0]["xxh3"].get<std::string>().size() == 16);
    CHECK(json["route"]["candidates"].size() >= 1);
}

TEST_CASE("route says where and why, in text and in JSON") {
    const auto text = tool("route " + saxpy);
    CHECK(text.exit == 0);
    CHECK(contains(text.out, "reference"));
    const auto json = tool("route " + saxpy + " --json").json();
    CHECK(json["mode"] == "execute");
    CHECK(json["entry"] == "saxpy");
    const auto& candidates = json["candidates"];
    const bool has_chosen = std::any_of(candidates.begin(), candidates.end(), [](const auto& candidate) {
        return candidate["reason"] == "chosen";
    });
    CHECK(has_chosen);
    CHECK(json["fingerprint"] == tool("run " + saxpy + saxpy_binds + "--json").json()["fingerprint"]);
}

TEST_CASE("backends lists what is linked, with devices and limits") {
    const auto text = tool("backends");
    CHECK(text.exit == 0);
    CHECK(contains(text.out, "reference"));
    const auto json = tool("backends --json").json();
    const auto& backends = json["backends"];
    const auto reference = std::find_if(backends.begin(), backends.end(),
                                        [](const auto& backend) { return backend["id"] == "reference"; });
    REQUIRE(reference != backends.end());
    CHECK((*reference)["tags"] == nlohmann::json{"debug"});
    CHECK((*reference)["dispatches"] == true);
    CHECK((*reference)["probe"]["state"] == "answered");
    REQUIRE((*reference)["devices"].size() == 1);
    CHECK((*reference)["devices"][0]["limits"]["max_workgroup_invocations"] >= 256);
    CHECK((*reference)["devices"][0]["memory_bytes"] > 0);
    CHECK(json["faults"].empty());
}

TEST_CASE("emit writes code that means the same program, without a device") {
    const std::string path = scratch("emitted.wgsl");
    const auto json = tool("emit " + saxpy + " --backend reference -o " + path + " --json").json();
    CHECK(json["format"] == "wgsl");
    CHECK(json["bytes"] == content_of(path).size());
    CHECK(json["bindings"].size() == 3);
    CHECK(json["fingerprint"] == tool("route " + saxpy + " --json").json()["fingerprint"]);
    const auto again = tool("route " + path + " --json").json();
    CHECK(again["fingerprint"] == json["fingerprint"]);
    CHECK(tool("emit " + saxpy + " --backend reference -o -").out == content_of(path));
    CHECK(tool("emit " + saxpy + " --backend nothing -o " + path).exit == 2);
    CHECK(tool("emit " + saxpy + " --backend reference --format nothing -o " + path).exit == 2);
    CHECK(tool("emit " + saxpy + " --backend reference --spec nothing=1 -o " + path).exit == 2);
    CHECK(tool("emit " + saxpy + " -o /nowhere/x").exit == 5);
}

TEST_CASE("the CPU backend runs what it fits, and the reference backend is passed over for it") {
    if (!has_backend("cpu")) return;
    const auto json = tool("run " + saxpy + saxpy_binds + "--json").json();
    CHECK(json["backend"] == "cpu");
    const auto interpreted = tool("run " + saxpy + saxpy_binds + "--backend reference --json").json();
    CHECK(json["outputs"] == interpreted["outputs"]);
    const auto excluded = tool("route " + saxpy, "MUSTER_EXCLUDE=cuda,cpu,opencl,vulkan");
    CHECK(contains(excluded.out, "executes on reference:0"));
}

#if defined(__x86_64__)

TEST_CASE("the CPU backend compiles for one level of the processor where that is named") {
    if (!has_backend("cpu")) return;
    const std::string run = "run " + saxpy + saxpy_binds;
    const auto expected = tool(run + "--backend reference --json").json()["outputs"];
    const auto named = [&](const std::string& options, const std::string& environment) {
        const auto ran = tool(run + options + " --json", environment);
        REQUIRE_MESSAGE(ran.exit == 0, ran.err);
        CHECK(ran.json()["id"] == "cpu:x86-64-v1");
        CHECK(ran.json()["outputs"] == expected);
    };
    named("--backend cpu:x86-64-v1", "");
    named("--pin cpu:x86-64-v1", "");
    named("", "MUSTER_BACKEND=cpu:x86-64-v1");
    named("", "MUSTER_BACKEND=cpu:x86-64-v1 MUSTER_PROBE=isolated");
    CHECK(tool(run + "--backend cpu --json").json()["id"] == "cpu:0");
    CHECK(contains(tool(run + "--backend cpu:x86-64-v1").err, "saxpy on cpu:x86-64-v1 ("));
    const auto check = tool("check --backend cpu:x86-64-v1 --case integers/signed_division");
    CHECK_MESSAGE(check.exit == 0, check.out);
    CHECK(contains(check.out, "cpu:x86-64-v1 passes"));
}

TEST_CASE("a level that the processor lacks is refused, with what it is and the levels that it has") {
    if (!has_backend("cpu")) return;
    for (const std::string options : {"--backend cpu:aarch64", "--pin cpu:aarch64"}) {
        const auto refused = tool("run " + saxpy + saxpy_binds + options);
        CHECK(refused.exit == 4);
        CHECK_MESSAGE(contains(refused.err, "cpu has no such device: cpu:0 is x86-64-v"), refused.err);
        CHECK_MESSAGE(contains(refused.err, ", cpu:x86-64-v1"), refused.err);
    }
    CHECK(tool("route " + saxpy, "MUSTER_BACKEND=cpu:aarch64").exit == 4);
    const auto text = tool("backends");
    CHECK_MESSAGE(contains(text.out, "\n  on request: cpu:x86-64-v1"), text.out);
    CHECK_FALSE(contains(text.out, "cpu:aarch64"));
    const nlohmann::json json = tool("backends --json").json();
    for (const auto& backend : json["backends"]) {
        if (backend["id"] != "cpu") continue;
        CHECK(backend["devices"].size() == 1);
        CHECK(backend["on_request"][0] == "cpu:x86-64-v1");
    }
}

#endif

TEST_CASE("the CPU backend emits an object file, assembly and LLVM IR, each with its header in C") {
    if (!has_backend("cpu")) return;
    const struct {
        std::string format, has;
    } expected[] = {{"object",
                     "\x7f"
                     "ELF"},
                    {"asm", ".globl\tsaxpy"},
                    {"llvm-ir", "define void @saxpy("}};
    for (const auto& [format, has] : expected) {
        CAPTURE(format);
        const std::string path = scratch("saxpy." + format), header = scratch("saxpy.h");
        std::filesystem::remove(header);
        const auto run =
            tool("emit " + saxpy + " --backend cpu --format " + format + " -o " + path + " --json");
        REQUIRE_MESSAGE(run.exit == 0, run.err);
        const auto json = run.json();
        CHECK(json["format"] == format);
        CHECK(json["target"].get<std::string>().starts_with("cpu:"));
        CHECK(json["bytes"] == content_of(path).size());
        CHECK(json["side_files"] == nlohmann::json{"saxpy.h"});
        CHECK(contains(content_of(path), has));
        CHECK(contains(content_of(header), "void saxpy(const struct saxpy_bindings *bindings,"));
    }
}

TEST_CASE("one core, and no folder for temporary files, change nothing of what the CPU backend computes") {
    if (!has_backend("cpu")) return;
    const std::string path =
        scratch_file("shared.wgsl",
                     "var<workgroup> all: array<u32, 256>;\n"
                     "@group(0) @binding(0) var<storage, read> x: array<u32>;\n"
                     "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
                     "@compute @workgroup_size(256) fn shared_sums(@builtin(local_invocation_index) i: u32,\n"
                     "    @builtin(global_invocation_id) id: vec3u) {\n"
                     "  all[i] = x[id.x]; workgroupBarrier(); var sum = 0u;\n"
                     "  for (var k = 0u; k <= i; k++) { sum += all[k] * (k + 1); }\n"
                     "  y[id.x] = sum;\n"
                     "}\n");
    const std::vector<std::string> commands{
        "run " + saxpy + saxpy_binds + "--backend cpu --json",
        "run " + path + " --bind x=random:u32:50000:3 --bind y=zeros:u32:50000 --backend cpu --json"};
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    int core = 0;
    while (!CPU_ISSET(core, &allowed)) ++core;
    for (const std::string& command : commands) {
        CAPTURE(command);
        const auto free = tool(command);
        REQUIRE_MESSAGE(free.exit == 0, free.err);
        const std::string one_core = "taskset -c " + std::to_string(core);
        for (const std::string& odd :
             {one_core, std::string("TMPDIR=/proc"), "TMPDIR=/no/such/folder " + one_core}) {
            CAPTURE(odd);
            const auto run = tool(command, odd);
            REQUIRE_MESSAGE(run.exit == 0, run.err);
            CHECK(run.json()["outputs"] == free.json()["outputs"]);
        }
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these reserve terabytes
TEST_CASE("whatever memory there is, the tool ends with a result or an error") {
    if (!has_backend("cpu")) return;
    const std::string path =
        scratch_file("large.wgsl",
                     "var<workgroup> all: array<u32, 60000>;\n"
                     "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
                     "@compute @workgroup_size(1024) fn large(@builtin(local_invocation_index) i: u32) {\n"
                     "  all[i] = y[i]; workgroupBarrier(); y[i] = all[1023 - i] + all[59999 - i];\n"
                     "}\n");
    for (const int megabytes : {60, 150, 250, 280, 290, 400, 1000}) {
        const std::string limited = "prlimit --as=" + std::to_string(megabytes) + "000000";
        for (const char* count : {"1024", "250000000"}) {
            CAPTURE(megabytes);
            CAPTURE(count);
            const auto run = tool("run " + path + " --backend cpu --bind y=zeros:u32:" + count, limited);
            const bool refused = run.exit == 4 || run.exit == 5;
            CHECK_MESSAGE((run.exit == 0 || refused), run.exit, ": ", run.err);
            if (refused) CHECK(contains(run.err, "\nFix: "));
            CHECK_FALSE(contains(run.err, "Fix: install"));
            if (contains(run.err, "The CPU backend's compiler can't be"))
                CHECK(contains(run.err, "\nFix: raise the limit on the process's memory (ulimit -v"));
            if (std::string(count) == "250000000")
                CHECK(refused);  // of 1 GB: the buffer and its copy on the device
        }
    }
}
#endif

TEST_CASE("a grid of 2^32 workgroups along an axis is refused with the limit, whichever backend runs it") {
    const std::string path = scratch_file(
        "many.wgsl",
        "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
        "@compute @workgroup_size(1) fn many(@builtin(global_invocation_id) id: vec3u) { y[id.x] = 1u; }\n");
    for (const char* grid : {"--workgroups 4294967296", "--invocations 1,4294967296"}) {
        const auto run = tool("run " + path + " --bind y=zeros:u32:4 " + grid);
        CHECK(run.exit == 2);
        CHECK(run.out.empty());
        CHECK(contains(run.err, "4294967296"));
        CHECK(contains(run.err, "ask for at most 4294967295 workgroups of 1 along"));
    }
}

TEST_CASE("the environment's allow-list and exclusion count; nonsense there is an error") {
    CHECK(tool("route " + saxpy, "MUSTER_EXCLUDE=" + every_backend()).exit == 4);
    CHECK(contains(tool("route " + saxpy, "MUSTER_BACKEND=reference").out, "executes on reference:0"));
    CHECK(tool("route " + saxpy, "MUSTER_BACKEND=").exit == 2);
}

TEST_CASE("a kernel of one's own, from standard input, with overrides and a grid in two dimensions") {
    const std::string text =
        "override scale: u32 = 3;\n"
        "@group(0) @binding(0) var<storage, read_write> grid: array<u32>;\n"
        "@compute @workgroup_size(4, 2) fn fill(@builtin(global_invocation_id) id: vec3u,\n"
        "    @builtin(num_workgroups) groups: vec3u) {\n"
        "  grid[id.y * groups.x * 4 + id.x] = scale * (10 * id.y + id.x);\n"
        "}\n";
    const auto run = muster::test::tool_reading(
        text,
        MUSTER_TOOL " run - --bind grid=zeros:u32:2,8 --override scale=2 --workgroups 2,1 --out grid=-");
    CHECK_MESSAGE(run.exit == 0, run.err);
    CHECK(run.out.starts_with("0\n2\n4\n6\n8\n10\n12\n14\n20\n22\n"));
}

TEST_CASE("a picture goes through a kernel, as words and as floats, unchanged") {
    const std::string words =
        "@group(0) @binding(0) var<storage, read> source: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> result: array<u32>;\n"
        "@group(0) @binding(2) var<uniform> size: vec2u;\n"
        "@compute @workgroup_size(8, 8) fn copy(@builtin(global_invocation_id) id: vec3u) {\n"
        "  if (id.x < size.x && id.y < size.y) { result[id.y * size.x + id.x] = source[id.y * size.x + "
        "id.x]; }\n"
        "}\n";
    std::string floats = words;
    for (std::size_t at = floats.find("u32>;"); at != std::string::npos; at = floats.find("u32>;")) {
        floats.replace(at, 5, "vec4f>;");
    }
    // A generated picture: random pixels.
    const std::string picture = scratch("picture.png");
    CHECK(tool("run " + scratch_file("words.wgsl", words) +
               " --bind source=random:u32:5,7:1 --bind result=like:source --bind size=extent:source"
               " --invocations extent:source --out result=" +
               picture)
              .exit == 0);
    for (const std::string& path : {scratch("words.wgsl"), scratch_file("floats.wgsl", floats)}) {
        const std::string copy = scratch("copy.png");
        const auto run =
            tool("run " + path + " --bind source=" + picture +
                 " --bind result=like:source --bind size=extent:source --invocations extent:source"
                 " --out result=" +
                 copy);
        CHECK_MESSAGE(run.exit == 0, run.err);
        CHECK(content_of(copy) == content_of(picture));
    }
}

TEST_CASE("broken files are named, with 2") {
    const std::string png = scratch_file("broken.png", "\x89PNG\r\n\x1a\nnonsense");
    const std::string npy = scratch_file("broken.npy", "nonsense");
    const auto run = tool("run " + saxpy + " --bind a=1 --bind x=" + npy + " --bind y=zeros:f32:4");
    CHECK(run.exit == 2);
    CHECK(contains(run.err, "broken.npy\" isn't a .npy file"));
    const auto picture = tool("run examples/photo/photo.wgsl --bind source=" + png +
                              " --bind result=like:source --bind size=extent:source");
    CHECK(picture.exit == 2);
    CHECK(contains(picture.err, "can't be read as PNG"));
}

TEST_CASE("nothing decorates what is written to a pipe") {
    const auto run = tool("run " + saxpy + saxpy_binds);
    CHECK(!contains(run.out + run.err, "\x1b"));
    CHECK(!contains(run.out + run.err, "\r"));
}

TEST_CASE("the CUDA backend emits its text anywhere, and PTX and cubins where there is NVRTC") {
    if (!has_backend("cuda")) return;
    const std::string path = scratch("saxpy.cu"), map = scratch("saxpy.map");
    const std::string emit =
        "emit " + saxpy + " --backend cuda --target sm_90 --debug-map " + map + " -o " + path;
    const auto json = tool(emit + " --json").json();
    CHECK(json["format"] == "cuda");
    CHECK(json["target"] == "cuda:sm_90");
    CHECK(json["workgroup_size"] == nlohmann::json{256, 1, 1});
    CHECK(contains(content_of(path), "extern \"C\" __global__ void __launch_bounds__(256)\nsaxpy("));
    CHECK(contains(content_of(map), "saxpy.wgsl:9:"));
    for (const auto& [format, has] : {std::pair<std::string, std::string>{"ptx", ".visible .entry saxpy("},
                                      {"cubin",
                                       "\x7f"
                                       "ELF"}}) {
        const std::string code = scratch("saxpy." + format);
        const auto run = tool("emit " + saxpy + " --backend cuda --target sm_90 --json --format " + format +
                              " -o " + code);
        if (run.exit == 0) {
            CHECK(run.json()["format"] == format);
            CHECK(contains(content_of(code), has));
        } else {  // no NVRTC here
            CHECK(run.exit == 5);
            CHECK(contains(run.err + run.out, "This machine has no NVRTC that can be opened"));
            CHECK(contains(run.err + run.out, "--format cuda"));
        }
    }
    const auto old = tool("emit " + saxpy + " --backend cuda --target sm_42 -o " + path);
    CHECK(old.exit == 4);
    CHECK(contains(old.err, "The CUDA backend has no target \"sm_42\"."));
}
