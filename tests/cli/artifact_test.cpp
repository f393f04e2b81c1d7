// Artifacts: emitted for several targets, run, routed and inspected by the tool.
#include <cstdlib>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "run_tool.hpp"

using namespace muster::test;

namespace {

const std::string eight = " --bind a=2 --bind x=iota:f32:8 --bind y=zeros:f32:8 --out y=-";
constexpr const char* doubled = "0\n2\n4\n6\n8\n10\n12\n14\n";

std::string emitted(const std::string& name, const std::string& targets, const std::string& program) {
    const std::string file = scratch(name);
    const ToolRun run = tool("emit " + program + " " + targets + " -o " + file);
    CHECK_MESSAGE(run.exit == 0, run.err);
    return file;
}

}  // namespace

TEST_CASE("an artifact for every backend runs from its stored code on each, with the same bits") {
    std::string targets = "--target reference:wgsl";
    for (const auto& [id, target] :
         {std::pair{"cpu", "cpu:x86-64-v2"}, std::pair{"vulkan", "vulkan:vulkan1.1"},
          std::pair{"opencl", "opencl:1.2"}})
        if (has_backend(id)) targets += std::string(" --target ") + target;
    const std::string file = emitted("saxpy.muster", targets, "examples/saxpy/saxpy.wgsl");
    for (const std::string id : {"reference", "cpu", "vulkan", "opencl"}) {
        if (!has_backend(id)) continue;
        CAPTURE(id);
        const ToolRun run = tool("run " + file + " --backend " + id + eight);
        CHECK(run.exit == 0);
        CHECK(run.out == doubled);
        CHECK(contains(run.err, "  code   for " + id + ":"));
        CHECK(contains(run.err, ", as stored\n"));
    }
}

TEST_CASE("a kernel from an artifact runs on the CPU without LLVM") {
    if (!has_backend("cpu")) return;
    const std::string file = emitted("cpu.muster", "--target cpu:x86-64-v1", "examples/saxpy/saxpy.wgsl");
    const std::string log = scratch("artifact_loader");
    const ToolRun run = tool("run " + file + " --backend cpu --json" + eight.substr(0, eight.find(" --out")),
                             "LD_DEBUG=files LD_DEBUG_OUTPUT=" + log);
    CHECK(run.exit == 0);
    CHECK(run.json()["code"]["stored"] == true);
    CHECK(run.json()["code"]["target"] == "cpu:x86-64-v1");
    CHECK(tool("inspect " + file).exit == 0);
}

TEST_CASE("programs with grid barriers are stored in parts") {
    if (!has_backend("cpu")) return;
    const std::string program = "examples/scan/scan.wgsl";
    const std::string file = emitted("scan.muster", "--target cpu:x86-64-v2", program);
    CHECK(contains(tool("inspect " + file).out, "code for cpu:x86-64-v2, part 2: image, exact, "));
}

TEST_CASE("where no stored code fits, the program is compiled, and that is said") {
    if (!has_backend("cpu")) return;
    const std::string file =
        emitted("reference.muster", "--target reference:wgsl", "examples/saxpy/saxpy.wgsl");
    const ToolRun run = tool("run " + file + " --backend cpu" + eight);
    CHECK(run.exit == 0);
    CHECK(run.out == doubled);
    CHECK(contains(run.err, "  code   compiled here: none that is stored does\n"));
}

TEST_CASE("route says which stored code fits what, and why the others don't") {
    if (!has_backend("cpu")) return;
    const std::string file =
        emitted("route.muster", "--target cpu:x86-64-v1 --target cpu:aarch64", "examples/saxpy/saxpy.wgsl");
    const ToolRun run = tool("route " + file + " --backend cpu");
    CHECK(run.exit == 0);
    CHECK(contains(
        run.out,
        "Stored code:\n  cpu:x86-64-v1  fits cpu:0\n  cpu:aarch64  fits nothing here: cpu:0: it is for "
        "cpu:aarch64, and this is cpu:x86-64-v"));
    const auto json = tool("route " + file + " --backend cpu --json").json();
    REQUIRE(json["codes"].size() == 2);
    CHECK(json["codes"][0]["fits"] == nlohmann::json{"cpu:0"});
    CHECK(json["codes"][1]["fits"].empty());
}

TEST_CASE("inspect shows the program, its bindings and codes") {
    const std::string file =
        emitted("inspect.muster", "--target reference:wgsl --fast", "examples/saxpy/saxpy.wgsl");
    const ToolRun run = tool("inspect " + file);
    CHECK(run.exit == 0);
    CHECK(contains(run.out, file + ": saxpy, "));
    CHECK(contains(run.out, "  workgroups of 256 x 1 x 1, fingerprint "));
    CHECK(contains(run.out, "  group 0, binding 2: y, storage read_write, array<f32>\n"));
    CHECK(contains(run.out, "  code for reference:wgsl: wgsl, fast, "));
    const auto json = tool("inspect " + file + " --json").json();
    CHECK(json["entry"] == "saxpy");
    CHECK(json["codes"][0]["precision"] == "fast");
}

TEST_CASE("a digest may be demanded") {
    const std::string file = emitted("digest.muster", "--target reference:wgsl", "examples/saxpy/saxpy.wgsl");
    const std::string digest = tool("inspect " + file + " --json").json()["sha256"];
    CHECK(contains(tool("inspect " + file).out, "  sha256 " + digest + "\n"));
    CHECK(tool("run " + file + " --digest " + digest + " --backend reference" + eight).out == doubled);
    const std::string other =
        "0" + digest.substr(1) == digest ? "1" + digest.substr(1) : "0" + digest.substr(1);
    const ToolRun refused = tool("run " + file + " --digest " + other + " --backend reference" + eight);
    CHECK(refused.exit == 2);
    CHECK(refused.err == "\"" + file + "\" has the SHA-256 " + digest + ", and --digest asks for " + other +
                             ".\nFix: get the file that has it, or find out why this one differs\n");
    const std::string known = scratch_file("abc.wgsl", "abc");  // FIPS 180-4's example
    CHECK(contains(tool("route " + known + " --digest 0").err,
                   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
}

TEST_CASE("an artifact as a C++ header compiles, and holds the file's bytes") {
    const std::string file = emitted("embed.muster", "--target reference:wgsl", "examples/saxpy/saxpy.wgsl");
    const std::string header = scratch("embed.hpp");
    REQUIRE(tool("emit examples/saxpy/saxpy.wgsl --target reference:wgsl --embed -o " + header).exit == 0);
    const std::string named = "emit examples/saxpy/saxpy.wgsl --target none --embed -o - --function ";
    CHECK(contains(tool(named + "two_ways").out, "inline std::span<const std::byte> two_ways() {"));
    CHECK(tool(named + "2ways").exit == 2);
    const std::string source = scratch_file("embed.cpp",
                                            "#include <cstdio>\n#include \"embed.hpp\"\n"
                                            "int main() { const auto all = saxpy_artifact(); "
                                            "std::fwrite(all.data(), 1, all.size(), stdout); }\n");
    REQUIRE(std::system(("c++ -std=c++20 -Wall -Wextra -Werror " + source + " -o " + scratch("embed") +
                         " && " + scratch("embed") + " > " + scratch("embed.bin"))
                            .c_str()) == 0);
    CHECK(content_of(scratch("embed.bin")) == content_of(file));
}

TEST_CASE("what is wrong with an artifact is said") {
    const std::string file = emitted("wrong.muster", "--target reference:wgsl", "examples/saxpy/saxpy.wgsl");
    const ToolRun entry = tool("run " + file + " --entry saxpy" + eight);
    CHECK(entry.exit == 2);
    CHECK(entry.err ==
          "\"" + file +
              "\" is an artifact: its entry point and overrides were chosen when it was emitted.\nFix: leave "
              "out --entry\n");
    const std::string cut = scratch_file("cut.muster", content_of(file).substr(0, 100));
    const ToolRun damaged = tool("run " + cut + eight);
    CHECK(damaged.exit == 2);
    CHECK(contains(damaged.err, "The artifact has 100 bytes instead of "));
    CHECK(contains(damaged.err, "  while reading " + cut + "\n"));
    CHECK(tool("inspect examples/saxpy/saxpy.wgsl").err ==
          "This isn't an artifact of muster: it doesn't begin as one does.\n  while reading "
          "examples/saxpy/saxpy.wgsl\n"
          "Fix: give a file that muster emit wrote\n");
    const ToolRun two =
        tool("emit examples/saxpy/saxpy.wgsl --target reference:wgsl --target reference:wgsl -o " +
             scratch("two.wgsl"));
    CHECK(two.exit == 2);
    CHECK(contains(
        two.err,
        "would have to hold code for 2 targets.\nFix: name one target, or an artifact, which holds several: "
        "-o FILE.muster\n"));
    const ToolRun parts =
        tool("emit examples/saxpy/saxpy.wgsl --parts --target reference:wgsl -o " + scratch("parts.muster"));
    CHECK(parts.exit == 2);
    CHECK(contains(parts.err,
                   "is an artifact, which holds parts and debug maps itself.\nFix: leave out --parts\n"));
}
