// Models: run, route and quantize of graphs as text, which need no protobuf.
#include <doctest/doctest.h>

#include <muster/cli/input/image.hpp>

#include "run_tool.hpp"

using muster::test::contains;
using muster::test::content_of;
using muster::test::scratch;
using muster::test::scratch_file;
using muster::test::tool;
using muster::test::ToolRun;

namespace {

const std::string edges = "examples/models/edges.graph",
                  edges_input = " --bind picture=random:f32:1,3,12,16:1 ";

std::string graph_file(const std::string& name, const std::string& statements) {
    return scratch_file(name, "graph \"g\" {\n" + statements + "\n}\n");
}

}  // namespace

TEST_CASE("run runs a model, prints its outputs, and writes them") {
    const std::string model = graph_file("double.graph", "input x: f32[N]\ny = Add(x, x)\noutput y");
    const ToolRun run = tool("run " + model + " --backend cpu --bind x=1,2,3.5 --out y=-");
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    CHECK(run.out == "2\n4\n7\n");
    CHECK(contains(run.err, "g on cpu:0, exact"));
    CHECK(contains(run.err, "y: f32[3]"));
    const std::string file = scratch("edges.npy");
    const ToolRun wrote = tool("run " + edges + edges_input + "--json --out edges=" + file);
    REQUIRE_MESSAGE(wrote.exit == 0, wrote.err);
    CHECK(wrote.json()["outputs"][0]["type"] == "f32[1, 1, 12, 16]");
    CHECK(contains(content_of(file), "(1, 1, 12, 16)"));
}

TEST_CASE("A model has the same outputs on every backend") {
    const auto checksum = [](const std::string& backend) {
        return tool("run " + edges + edges_input + "--json --backend " + backend)
            .json()["outputs"][0]["xxh3"];
    };
    CHECK(checksum("cpu") == checksum("reference"));
}

TEST_CASE("A picture becomes a model's input, scaled to its sizes") {
    const std::string model =
        graph_file("picture.graph", "input p: f32[1, 3, 2, 2]\ny = Identity(p)\noutput y");
    const std::vector<std::byte> png =
        *muster::cli::format_png({4, 2, std::vector<std::byte>(32, std::byte{51})});
    const std::string file =
        scratch_file("grey.png", {reinterpret_cast<const char*>(png.data()), png.size()});
    const ToolRun run = tool("run " + model + " --bind p=" + file + " --json");
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    CHECK(run.json()["outputs"][0]["type"] == "f32[1, 3, 2, 2]");
    CHECK(contains(tool("run " + model + " --bind p=" + file).err, "0.2 0.2 0.2 0.2"));
}

TEST_CASE("route says for every node where it runs, and which patterns joined it") {
    const ToolRun run = tool("route " + edges);
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    CHECK(contains(run.out, "edges: 3 nodes, 3 steps, 4 kernels"));
    CHECK(contains(run.out, "\"grey\" (Conv): product with epilogue"));
    CHECK(contains(run.out, "pack portable"));
    const nlohmann::json json = tool("route --json " + edges).json();
    CHECK(json["steps"].size() == 3);
    CHECK(json["steps"][0]["nodes"][0] == "\"grey\" (Conv)");
    const std::string joined = graph_file("joined.graph",
                                          "input x: f32[2, 4]\ninput w: f32[4, 4]\nm = MatMul(x, w)\nr = "
                                          "Relu(m)\ny = Exp(r)\noutput y\noutput r");
    CHECK(contains(tool("route --explain " + joined).out,
                   "product with epilogue: that makes \"m\" (MatMul) + that makes \"r\" (Relu)"));
}

TEST_CASE("A profile names the nodes, as a table and as a timeline") {
    const ToolRun run = tool("run " + edges + edges_input + "--backend cpu --quiet --profile -");
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    CHECK(contains(run.out, "\"slopes\" (Conv)"));
    CHECK(contains(run.out, "in all, 4 kernels one at a time"));
    const std::string file = scratch("timeline.svg");
    REQUIRE(tool("run " + edges + edges_input + "--quiet --profile " + file).exit == 0);
    CHECK(contains(content_of(file), "&quot;slopes&quot; (Conv)"));
    CHECK(
        contains(tool("run " + edges + edges_input + "--profile a.txt").err, "its extension says no format"));
}

TEST_CASE("What doesn't fit a model is refused with what does") {
    const auto error = [](const std::string& options) {
        const ToolRun run = tool("run " + options);
        CHECK(run.exit == 2);
        return run.err;
    };
    CHECK(contains(error(edges), "Input \"picture\" (f32[1, 3, H, W]) is given nothing."));
    CHECK(contains(error(edges + " --bind photo=zeros:f32:1"), "The model has no input \"photo\"."));
    CHECK(contains(error(edges + " --bind picture=zeros:f32:1,4,2,2"),
                   "Input \"picture\" is f32[1, 3, H, W]: [1, 4, 2, 2] is given."));
    CHECK(contains(error(edges + " --bind picture=zeros:u32:1,3,2,2"), "write f32 instead of u32"));
    CHECK(contains(error(edges + edges_input + "--out edge=-"), "its outputs are edges"));
    CHECK(contains(error(edges + edges_input + "--out edges=a.txt"), "its extension says no format"));
    CHECK(contains(error(edges + edges_input + "--workgroups 3"), "A grid isn't for models"));
    CHECK(contains(error(edges + edges_input + "--override a=1"), "neither entry points nor overrides"));
    CHECK(contains(error("nowhere.onnx --bind x=1"), "nowhere.onnx"));
    const ToolRun broken =
        tool("run " + graph_file("broken.graph", "input x: f32[2]\ny = Exq(x)\noutput y") + " --bind x=1,2");
    CHECK(broken.exit == 3);
    CHECK(contains(broken.err, "Exq"));
    const ToolRun pack = tool("run " + edges + edges_input + "--pack nobody");
    CHECK(pack.exit != 0);
    CHECK(contains(pack.err, "nobody"));
}

TEST_CASE("Weights with a NaN are told") {
    const std::string model =
        graph_file("nan.graph", "input x: f32[2]\nconstant w: f32[2] = [1, nan]\ny = Mul(x, w)\noutput y");
    const std::string note =
        "note: Constant \"w\" has a NaN, at element 1: what is computed from it may be NaN.\n";
    const ToolRun run = tool("run " + model + " --bind x=1,2 --out y=- --quiet");
    CHECK(run.out == "1\nnan\n");
    CHECK(run.err == note);
    CHECK(contains(tool("route " + model).out, note));
}

TEST_CASE("quantize says how far the model of integers is from that of floats") {
    const std::string model = graph_file(
        "product.graph",
        "input x: f32[N, 4]\nconstant w: f32[4, 3] = [1, 2, 3, -1, -2, -3, 0.5, 0.25, 0.125, 1, 1, 1]\n"
        "m = MatMul(x, w) @ \"product\"\ny = Relu(m)\noutput y");
    const std::string samples = scratch("samples.npy"), output = scratch("integers.onnx");
    const std::string identity = graph_file("samples.graph", "input x: f32[5, 4]\ny = Identity(x)\noutput y");
    REQUIRE(tool("run " + identity + " --bind x=random:f32:5,4:1 --quiet --out y=" + samples).exit == 0);
    const ToolRun run = tool("quantize --json " + model + " --calibrate " + samples + " -o " + output);
    if (run.exit == 5 && contains(run.err, "built without ONNX")) return;
    REQUIRE_MESSAGE(run.exit == 0, run.err);
    const nlohmann::json json = run.json();
    CHECK(json["samples"] == 5);
    CHECK(json["quantized"] == 1);
    CHECK(json["outputs"][0]["decibels"] > 30);
    CHECK(json["outputs"][0]["decibels"] < 80);
    const ToolRun ran = tool("run " + output + " --bind x=1,0,0,0 --out y=- --quiet");
    REQUIRE_MESSAGE(ran.exit == 0, ran.err);
    CHECK(contains(tool("route " + output).out, "product of integers"));
    // Sizes and inputs of an ONNX model can be made constants.
    CHECK(tool("run " + output + " --constant N=2 --bind x=zeros:f32:2,4").exit == 0);
    CHECK(contains(tool("run " + output + " --constant N=2 --bind x=zeros:f32:3,4").err,
                   "Input \"x\" is f32[2, 4]: [3, 4] is given."));
    CHECK(tool("run " + output + " --constant x=1,2,3,4").exit == 0);
    const ToolRun no_size = tool("run " + output + " --constant M=2");
    CHECK(no_size.exit == 2);
    CHECK(contains(no_size.err, "No input of the model has a size \"M\" that is open."));
    CHECK(contains(tool("run " + model + " --constant N=2").err, "--constant N=2 is for ONNX models"));
    CHECK(contains(tool("route examples/saxpy/saxpy.wgsl --constant N=2").err, "is for ONNX models"));
    CHECK(contains(tool("quantize " + model + " --calibrate " + samples + " -o a.npy").err,
                   "name an .onnx file"));
    CHECK(contains(tool("quantize " + model + " --calibrate cmake -o " + output).err,
                   "There is no sample in cmake."));
}
