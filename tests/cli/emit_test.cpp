// `emit`: the file's extension determines the format; programs with grid barriers are written in parts.
#include <filesystem>

#include <doctest/doctest.h>

#include <muster/cli/command/emit_files.hpp>
#include <muster/cli/command/emit_format.hpp>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::content_of;
using muster::test::has_backend;
using muster::test::scratch;
using muster::test::scratch_file;
using muster::test::tool;

namespace {

const std::string emit_saxpy = "emit examples/saxpy/saxpy.wgsl ";

}  // namespace

TEST_CASE("the file's extension says the format, and whose code it is where nobody is named") {
    const struct {
        std::string file, backend, format;
    } expected[] = {
        {"x.cu", "cuda", "cuda"},   {"x.spv", "vulkan", "spirv"}, {"x.spvasm", "vulkan", "spirv-asm"},
        {"x.o", "cpu", "object"},   {"x.s", "cpu", "asm"},        {"x.S", "cpu", "asm"},
        {"x.ll", "cpu", "llvm-ir"}, {"x.cl", "opencl", "clc"},    {"x.wgsl", "reference", "wgsl"}};
    for (const auto& [file, backend, format] : expected) {
        if (!has_backend(backend)) continue;
        CAPTURE(file);
        for (const std::string& named : {std::string(), "--backend " + backend + " "}) {
            const auto run = tool(emit_saxpy + named + "--json -o " + scratch(file));
            REQUIRE_MESSAGE(run.exit == 0, run.err);
            CHECK(run.json()["format"] == format);
            CHECK(run.json()["target"].get<std::string>().starts_with(backend + ":"));
        }
        CHECK(tool(emit_saxpy + "--format " + format + " -o " + scratch(file)).exit == 0);
    }
    CHECK(muster::cli::format_of_extension(".ptx") == "ptx");
    CHECK(muster::cli::format_of_extension(".cubin") == "cubin");
    CHECK(muster::cli::format_of_extension(".out").empty());
    CHECK(tool(emit_saxpy + "--backend reference --json -o " + scratch("x")).json()["format"] == "wgsl");
}

TEST_CASE(
    "an extension that no format has is a usage error that lists those that are known, and nothing is "
    "written") {
    for (const char* extension : {".metal", ".dxil", ".hlsl", ".txt", ".out", ".bin", ".json"}) {
        CAPTURE(extension);
        const std::string path = scratch(std::string("unknown") + extension);
        for (const char* named : {"", "--backend reference ", "--target reference:wgsl "}) {
            const auto run = tool(emit_saxpy + named + "-o " + path);
            CHECK(run.exit == 2);
            CHECK_MESSAGE(contains(run.err, std::string("called ") + extension + "."), run.err);
            CHECK(contains(run.err, "\nFix: name the file with one of "));
            CHECK(contains(run.err, ".wgsl (wgsl)"));
            CHECK(contains(run.err, ".muster (an artifact)"));
            CHECK(contains(run.err, ".spv (spirv)") == (*named == '\0'));
            CHECK_FALSE(std::filesystem::exists(path));
        }
    }
    const std::string path = scratch("said.txt");
    CHECK(tool(emit_saxpy + "--format wgsl --json -o " + path).json()["format"] == "wgsl");
    CHECK(contains(content_of(path), "fn saxpy"));
}

TEST_CASE("a format's own name is an extension, whether its backend is named or not") {
    const struct {
        std::string file, backend;
    } expected[] = {{"x.clc", "opencl"}, {"x.spirv", "vulkan"}, {"x.llvm-ir", "cpu"}, {"x.cuda", "cuda"}};
    for (const auto& [file, backend] : expected) {
        if (!has_backend(backend)) continue;
        CAPTURE(file);
        for (const std::string& named : {std::string(), "--backend " + backend + " "}) {
            const auto run = tool(emit_saxpy + named + "--json -o " + scratch(file));
            REQUIRE_MESSAGE(run.exit == 0, run.err);
            CHECK(run.json()["format"] == file.substr(2));
            CHECK(run.json()["target"].get<std::string>().starts_with(backend + ":"));
        }
    }
}

TEST_CASE("a name that contradicts what is asked for is a usage error, and nothing is written") {
    const std::string path = scratch("contradiction.ptx");
    for (const char* options : {"--backend reference", "--target reference:wgsl", "--format wgsl",
                                "--backend reference --format wgsl"}) {
        CAPTURE(options);
        const auto run = tool(emit_saxpy + options + " -o " + path);
        CHECK(run.exit == 2);
        CHECK_MESSAGE(contains(run.err, "is named as a file of ptx"), run.err);
        CHECK(contains(run.err, "\nFix: "));
        CHECK_FALSE(std::filesystem::exists(path));
    }
    const auto none = tool(emit_saxpy + "-o " + scratch("x.spv"), "MUSTER_BACKEND=reference");
    CHECK(none.exit == 2);
    CHECK(contains(none.err, "No backend here emits the format spirv."));
}

TEST_CASE("code to /dev/stdout comes alone, as to -") {
    if (!has_backend("reference")) return;
    CHECK(tool(emit_saxpy + "--backend reference -o /dev/stdout").out ==
          tool(emit_saxpy + "--backend reference -o -").out);
    CHECK(tool(emit_saxpy + "--backend reference -o /dev/stdout --json").exit == 2);
}

TEST_CASE("emit --json has the fingerprint of what was emitted beside that of the program") {
    const std::string path = scratch_file("sine.wgsl",
                                          "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n"
                                          "@compute @workgroup_size(1) fn sine() { y[0] = sin(y[0]); }\n");
    const std::string emitted = scratch("sine.emitted.wgsl");
    const auto json = tool("emit " + path + " --backend reference --json -o " + emitted).json();
    CHECK(json["fingerprint"] == tool("route " + path + " --json").json()["fingerprint"]);
    CHECK(json["emitted_fingerprint"] == tool("route " + emitted + " --json").json()["fingerprint"]);
}

TEST_CASE("a program with grid barriers is said to be split, and --parts writes the parts") {
    for (const auto& [backend, extension] :
         {std::pair<std::string, std::string>{"cpu", "o"}, {"vulkan", "spv"}}) {
        if (!has_backend(backend)) continue;
        CAPTURE(backend);
        const std::string path = scratch("scan." + extension);
        const std::string emit = "emit examples/scan/scan.wgsl --backend " + backend + " -o " + path;
        const auto whole = tool(emit);
        CHECK(whole.exit == 4);
        CHECK_MESSAGE(contains(whole.err, "is split into "), whole.err);
        CHECK(contains(whole.err, "muster emit --parts"));
        CHECK_FALSE(std::filesystem::exists(path));

        const auto run = tool(emit + " --parts --json");
        REQUIRE_MESSAGE(run.exit == 0, run.err);
        const auto json = run.json();
        CHECK(json == nlohmann::json::parse(content_of(scratch("scan.json"))));
        CHECK(json["mode"] == "emit-parts");
        REQUIRE(json["parts"].size() >= 2);
        std::size_t runs = 0;
        for (const auto& step : json["steps"]) {
            if (step["do"] != "run") continue;
            ++runs;
            CHECK(step["part"] < json["parts"].size());
        }
        CHECK(runs >= json["parts"].size());
        CHECK(json["steps"].back()["do"] == "end");
        bool has_scratch = false;
        for (std::size_t i = 0; i < json["parts"].size(); ++i) {
            const auto& part = json["parts"][i];
            CHECK(part["file"] == "scan." + std::to_string(i + 1) + "." + extension);
            CHECK_FALSE(content_of(scratch(part["file"])).empty());
            for (const auto& binding : part["bindings"]) {
                has_scratch = has_scratch || binding["from"] == "scratch";
                if (binding["from"] == "program") CHECK(binding.contains("binds"));
            }
        }
        CHECK(has_scratch);
        CHECK(json["scratch"]["words_per_invocation"] == 1);
        CHECK(tool(emit + " --parts").exit == 0);
    }
}

TEST_CASE("the host's part of loops around grid barriers is described") {
    if (!has_backend("vulkan")) return;
    const auto run =
        tool("emit examples/bfs/bfs.wgsl --backend vulkan --parts --json -o " + scratch("bfs.spv"));
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    const auto json = run.json();
    std::vector<std::string> done;
    for (const auto& step : json["steps"]) {
        done.push_back(step["do"]);
        if (step.contains("to")) CHECK(step["to"] <= json["steps"].size());
        if (step.contains("value")) CHECK(step["value"] < json["values"].size());
    }
    for (const char* kind : {"run", "assign", "read", "branch", "turn"})
        CHECK_MESSAGE(std::find(done.begin(), done.end(), kind) != done.end(), kind);
    for (const auto& value : json["values"]) {
        CHECK(value.contains("op"));
        if (value.contains("operands"))
            for (const auto& operand : value["operands"]) CHECK(operand < json["values"].size());
    }
}

TEST_CASE("--parts is refused where there are none, or no place for them") {
    if (!has_backend("reference")) return;
    const auto none = tool(emit_saxpy + "--parts -o " + scratch("whole.wgsl"));
    CHECK(none.exit == 2);
    CHECK(contains(none.err, "saxpy has no grid barriers"));
    for (const char* file : {"-", "scan.json"}) {
        const auto run = tool("emit examples/scan/scan.wgsl --parts -o " + std::string(file));
        CHECK(run.exit == 2);
        CHECK(contains(run.err, "--parts"));
    }
    CHECK(muster::cli::with_infix("a.b/scan.spv", "2") == "a.b/scan.2.spv");
    CHECK(muster::cli::with_infix("scan", "2") == "scan.2");
}
