// Models: emitted as artifacts, inspected, routed and run by the tool.
#include <string>

#include <doctest/doctest.h>

#include "run_tool.hpp"

using namespace muster::test;

namespace {

const std::string digits = "tests/runtime/digits.graph";
const std::string picture = " --bind picture=iota:f32:1,1,4,4 --out y=-";

std::string open_model() {
    return scratch_file("open.graph", R"(graph "open" {
        input x: f32[N, 2]
        constant w: f32[2, 2] = [1, 2, 3, 4]
        y = MatMul(x, w) @ "product": f32[N, 2]
        output y
    })");
}

std::string emitted(const std::string& name, const std::string& model, const std::string& options) {
    const std::string file = scratch(name);
    const ToolRun run = tool("emit " + model + " -o " + file + " " + options);
    CHECK_MESSAGE(run.exit == 0, run.err);
    return file;
}

/// Checks that a command ends with 2 and these words.
void refuses(const std::string& command, const std::string& words) {
    const ToolRun run = tool(command);
    CAPTURE(command);
    CHECK(run.exit == 2);
    CHECK_MESSAGE(contains(run.err, words), run.err);
}

}  // namespace

TEST_CASE("a model's artifact runs with the bits of the model, on each backend that it has code for") {
    std::string targets;
    for (const auto& [id, target] :
         {std::pair{"cpu", "cpu:x86-64-v2"}, std::pair{"vulkan", "vulkan:vulkan1.1"}})
        if (has_backend(id)) targets += std::string(" --target ") + target;
    if (targets.empty()) return;
    const std::string file = emitted("digits.muster", digits, targets);
    const std::string expected = tool("run " + digits + " --backend reference" + picture).out;
    CHECK(expected.size() > 3);
    for (const std::string id : {"reference", "cpu", "vulkan"}) {
        if (!has_backend(id)) continue;
        CAPTURE(id);
        const ToolRun run = tool("run " + file + " --allow software --backend " + id + picture);
        CHECK_MESSAGE(run.exit == 0, run.err);
        CHECK(run.out == expected);
        CHECK(contains(run.err, "digits on " + id + ":0, exact\n"));
    }
}

TEST_CASE("inspect and route say what a model's artifact holds, and where it runs") {
    if (!has_backend("cpu")) return;
    const std::string file = emitted("told.muster", digits, "--target cpu:x86-64-v1 --target cpu:aarch64");
    const ToolRun inspected = tool("inspect " + file);
    CHECK(contains(inspected.out, ": model digits, "));
    CHECK(contains(inspected.out, "  code for cpu:aarch64: "));
    CHECK(contains(inspected.out, "    input picture: f32 [1, 1, 4, 4]\n    output y: f32 [1, 3]\n"));
    const auto json = tool("inspect " + file + " --json").json();
    CHECK(json["model"] == "digits");
    CHECK(json["plans"][0]["inputs"][0]["sizes"] == nlohmann::json({1, 1, 4, 4}));
    CHECK(json["code_bytes"]["cpu:x86-64-v1"] > 0);
    const ToolRun routed = tool("route " + file + " --backend cpu");
    CHECK(routed.exit == 0);
    CHECK(contains(routed.out, "steps:\n  cpu:0        that makes \"a\" (Conv) + that makes \"b\" (Relu)"));
    CHECK(contains(routed.out, "  cpu:aarch64  fits nothing here: "));
    CHECK(contains(routed.out, "  cpu:x86-64-v1  fits cpu:0"));
    refuses("inspect " + file + " --map", "--map isn't for models.");
}

TEST_CASE("an artifact has a plan for each choice of sizes, and refuses others") {
    if (!has_backend("cpu")) return;
    const std::string file =
        emitted("open.muster", open_model(), "--target cpu:x86-64-v1 --size N=1 --size N=2");
    CHECK(tool("run " + file + " --bind x=iota:f32:2,2 --out y=-").out == "3\n4\n11\n16\n");
    CHECK(tool("run " + file + " --bind x=iota:f32:1,2 --out y=-").out == "3\n4\n");
    CHECK(tool("inspect " + file + " --json").json()["plans"].size() == 2);
    const ToolRun other = tool("run " + file + " --bind x=iota:f32:3,2");
    CHECK(contains(
        other.err,
        "The artifact of model \"open\" isn't for these inputs (x [3, 2]), but for x [1, 2]; or x [2, 2]."));
}

TEST_CASE("emit refuses what models don't have, and asks for what they leave open") {
    const std::string file = scratch("refused.muster"), open = open_model();
    refuses("emit " + digits + " -o " + scratch("digits.o"),
            "is a model, which is emitted as an artifact alone.");
    refuses("emit " + digits + " --parts -o " + file, "--parts isn't for models.");
    refuses("emit " + digits + " --format wgsl -o " + file, "--format isn't for models.");
    refuses("emit " + open + " -o " + file, "Input \"x\" is f32[N, 2], and N isn't given.");
    refuses("emit " + open + " --size M=1 -o " + file, "Fix: add --size N=NUMBER");
    refuses("emit " + open + " --size N=two -o " + file, "--size N=two doesn't say how large something is.");
    refuses("emit " + open + " --bind z=1 -o " + file, "The model has no input \"z\".");
    refuses("emit examples/saxpy/saxpy.wgsl --size N=1 -o " + file, "--size is for models, and ");
    const ToolRun target = tool("emit " + digits + " --target nobody:1 -o " + file);
    CHECK(target.exit != 0);
    CHECK(contains(target.err, "while emitting node that makes \"a\" (Conv)"));
}

TEST_CASE("a damaged artifact of a model is refused") {
    if (!has_backend("cpu")) return;
    const std::string file = emitted("whole.muster", digits, "--target cpu:x86-64-v1");
    const std::string content = content_of(file);
    const std::string cut = scratch_file("cut.muster", content.substr(0, content.size() / 2));
    refuses("run " + cut + picture, "The model's artifact has ");
    refuses("inspect " + cut, "Fix: emit the artifact again, or copy it again");
    std::string changed = content;
    changed[60] = static_cast<char>(changed[60] + 1);
    refuses("route " + scratch_file("changed.muster", changed),
            "The model's artifact is damaged: its checksum is wrong.");
    refuses("run " + file + " --entry main" + picture,
            "is a model, which has neither entry points nor overrides.");
}
