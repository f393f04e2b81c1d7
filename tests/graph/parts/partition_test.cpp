// Parts of models that a backend with a compiler of its own takes: which they are, what it is given, that results are right, and what
// follows when it can't.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/graph_double.hpp>
#include <support/interpreting_double.hpp>

#include <muster/graph/parts/partition.hpp>
#include <muster/graph/plan/plan.hpp>
#include <muster/graph/run/model.hpp>

using namespace muster;
using graph::Model;
using graph::ModelSummary;
using graph::Tensor;
using test::GraphScript;

namespace {

Session session_of(const std::vector<test::GraphScriptPointer>& accelerators, Policy policy = {}) {
    std::vector<FleetEntry> entries{test::entry(std::make_shared<test::DeviceScript>())};
    for (const auto& each : accelerators) entries.push_back(test::graph_entry(each));
    return Session::open({.policy = std::move(policy),
                          .fleet = std::make_shared<Fleet>(std::move(entries), std::chrono::minutes(1)),
                          .use_environment = false})
        .value();
}

std::shared_ptr<GraphScript> npu(std::set<std::string> takes) {
    auto script = std::make_shared<GraphScript>();
    script->takes = std::move(takes);
    return script;
}

graph::Graph parsed(const std::string& text) {
    auto graph = graph::parse_graph(text);
    REQUIRE_MESSAGE(graph, (graph ? "" : graph.error().to_string()));
    return *graph;
}

/// Conv and Relu, a pool in the middle, and a path around it.
const std::string network = R"(graph "net" {
    input x: f32[1, 2, 6, 6]
    constant w: f32[2, 2, 3, 3] = [1, -1, 2, 0, 1, 0, 1, -2, 1, 1, -1, 2, 0, 1, 0, 1, -2, 1, 1, -1, 2, 0, 1, 0, 1, -2, 1, 1, -1, 2, 0, 1, 0, 1, -2, 1]
    a = Conv(x, w) {pads = [1, 1, 1, 1]} @ "c1": f32[1, 2, 6, 6]
    b = Relu(a) @ "r1": f32[1, 2, 6, 6]
    p = MaxPool(b) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} @ "pool": f32[1, 2, 6, 6]
    c = Conv(p, w) {pads = [1, 1, 1, 1]} @ "c2": f32[1, 2, 6, 6]
    s = Add(c, b) @ "sum": f32[1, 2, 6, 6]
    y = Relu(s) @ "r2": f32[1, 2, 6, 6]
    output y
})";

Tensor picture() {
    std::vector<float> values;
    for (int i = 0; i < 72; ++i) values.push_back(static_cast<float>(i * 7 % 11) - 5);
    return Tensor::of<float>({1, 2, 6, 6}, std::span<const float>(values));
}

/// "c1 r1 on npu:0; pool on parts:0; ..."
std::string places(const ModelSummary& summary) {
    std::string text;
    for (const graph::ModelStep& step : summary.steps) {
        text += text.empty() ? "" : "; ";
        for (const std::string& node : step.nodes) text += node.substr(1, node.find('"', 1) - 1) + " ";
        text +=
            "on " + (step.route && step.route->execute() ? step.route->execute()->id() : std::string("none"));
    }
    return text;
}

}  // namespace

TEST_CASE("a backend with a compiler of its own gets the largest connected parts, and kernels the rest") {
    const auto script = npu({"Conv", "Relu"});
    Model model = Model::open(session_of({script}), parsed(network)).value();
    const std::vector inputs{picture()};
    const auto routed = model.route(inputs);
    REQUIRE_MESSAGE(routed, (routed ? "" : routed.error().to_string()));
    CHECK(places(*routed) == "c1 r1 on npu:0; pool on parts:0; c2 on npu:0; sum on parts:0; r2 on npu:0");
    CHECK(routed->steps[0].pattern == "compiled by npu");
    CHECK(routed->notes.empty());
    CHECK(script->preprocessed == 0);

    const auto ran = model.run(inputs);
    REQUIRE_MESSAGE(ran, (ran ? "" : ran.error().to_string()));
    CHECK(*ran == graph::evaluate(parsed(network), inputs).value());
    CHECK(script->preprocessed == 3);
    CHECK(script->submits == 3);
    CHECK(places(model.prepare(inputs).value()) == places(*routed));
    CHECK(model.run(inputs).value() == *ran);
    CHECK(script->preprocessed == 3);
}

TEST_CASE("a part is given as text, with its constants apart") {
    const auto script = npu({"Conv", "Relu"});
    Model model = Model::open(session_of({script}), parsed(network)).value();
    REQUIRE(model.run(std::vector{picture()}));
    REQUIRE(script->texts.size() == 3);
    CHECK(script->texts[0] ==
          "graph \"part\" {\n"
          "    input x: f32[1, 2, 6, 6]\n"
          "    input w: f32[2, 2, 3, 3]\n"
          "    a = Conv(x, w) {pads = [1, 1, 1, 1]} @ \"c1\": f32[1, 2, 6, 6]\n"
          "    b = Relu(a) @ \"r1\": f32[1, 2, 6, 6]\n"
          "    output b\n"
          "}\n");
}

TEST_CASE("a graph that the backend takes as a whole is one part") {
    const auto script = npu({"Conv", "Relu", "MaxPool", "Add"});
    Model model = Model::open(session_of({script}), parsed(network)).value();
    const std::vector inputs{picture()};
    const auto ran = model.run(inputs);
    REQUIRE_MESSAGE(ran, (ran ? "" : ran.error().to_string()));
    CHECK(*ran == graph::evaluate(parsed(network), inputs).value());
    CHECK(script->submits == 1);
    CHECK(places(model.prepare(inputs).value()) == "c1 r1 pool c2 sum r2 on npu:0");
}

TEST_CASE("a part that the backend can't compile runs as kernels, with a note") {
    const auto script = npu({"Conv", "Relu"});
    script->cannot_compile = "c2";
    Model model = Model::open(session_of({script}), parsed(network)).value();
    const std::vector inputs{picture()};
    const auto ran = model.run(inputs);
    REQUIRE_MESSAGE(ran, (ran ? "" : ran.error().to_string()));
    CHECK(*ran == graph::evaluate(parsed(network), inputs).value());
    const ModelSummary summary = model.prepare(inputs).value();
    CHECK(places(summary) == "c1 r1 on npu:0; pool on parts:0; c2 on parts:0; sum on parts:0; r2 on npu:0");
    REQUIRE(summary.notes.size() == 1);
    CHECK(summary.notes[0] ==
          "npu:0 accepts node \"c2\" (Conv), and can't compile them: It is too large for the fake "
          "accelerator. They "
          "run as kernels.");
}

TEST_CASE("a compiler that throws, and a part with too many ends, are notes, too") {
    const auto thrower = npu({"Conv"});
    thrower->throws = true;
    Model model = Model::open(session_of({thrower}), parsed(network)).value();
    const std::vector inputs{picture()};
    CHECK(model.run(inputs).value() == graph::evaluate(parsed(network), inputs).value());
    const ModelSummary summary = model.prepare(inputs).value();
    REQUIRE(summary.notes.size() == 2);
    CHECK(summary.notes[0].find("GraphCompiler::preprocess throws: out of registers.") != std::string::npos);

    const auto narrow = npu({"Add"});
    narrow->most_bindings = 2;
    Model other = Model::open(session_of({narrow}), parsed(network)).value();
    CHECK(other.route(inputs)->notes.at(0) ==
          "npu:0 accepts node \"sum\" (Add), and can't compile them: They have 3 inputs and outputs, and it "
          "binds at "
          "most 2. They run as kernels.");
}

TEST_CASE("the policy decides about parts, too, and the better backend comes first") {
    const auto first = npu({"Conv"}), second = npu({"Conv", "Relu"});
    second->id = "late";
    second->rank = 5;
    const std::vector inputs{picture()};
    const auto places_with = [&](const Policy& policy) {
        return places(
            Model::open(session_of({second, first}, policy), parsed(network))->route(inputs).value());
    };
    CHECK(places_with({}) ==
          "c1 on npu:0; r1 on late:0; pool on parts:0; c2 on npu:0; sum on parts:0; r2 on late:0");
    CHECK(places_with({.exclude = {"npu"}}) ==
          "c1 r1 on late:0; pool on parts:0; c2 on late:0; sum on parts:0; r2 on late:0");
    CHECK(places_with({.backends = std::vector<std::string>{"parts"}}).find("late") == std::string::npos);
}

TEST_CASE("integers and halves reach a part as a device holds them, and views of what it made are right") {
    const std::string text = R"(graph "types" {
        input h: f16[3]
        input i: i64[2, 3]
        a = Add(h, h) @ "half": f16[3]
        b = Add(i, i) @ "whole": i64[2, 3]
        t = Transpose(b) {perm = [1, 0]} @ "turned": i64[3, 2]
        u = Mul(t, t) @ "squares": i64[3, 2]
        output a
        output u
    })";
    const auto script = npu({"Add"});
    Model model = Model::open(session_of({script}), parsed(text)).value();
    const std::vector inputs{Tensor::of<f16>({3}, {f16(1.5f), f16(2), f16(-4)}),
                             Tensor::of<std::int64_t>({2, 3}, {1, 2, 3, 4, 5, -6})};
    const auto ran = model.run(inputs);
    REQUIRE_MESSAGE(ran, (ran ? "" : ran.error().to_string()));
    CHECK(*ran == graph::evaluate(parsed(text), inputs).value());
    CHECK(script->submits == 2);
}

TEST_CASE("a value that kernels would see otherwise is made row-major for a part") {
    const std::string text = R"(graph "views" {
        input x: f32[2, 3]
        t = Transpose(x) {perm = [1, 0]} @ "turned": f32[3, 2]
        y = Relu(t) @ "relu": f32[3, 2]
        z = Concat(y, t) {axis = 1} @ "joined": f32[3, 4]
        output z
    })";
    const auto script = npu({"Relu"});
    Model model = Model::open(session_of({script}), parsed(text)).value();
    const std::vector inputs{Tensor::of<float>({2, 3}, {1, -2, 3, -4, 5, -6})};
    const auto ran = model.run(inputs);
    REQUIRE_MESSAGE(ran, (ran ? "" : ran.error().to_string()));
    CHECK(*ran == graph::evaluate(parsed(text), inputs).value());
    CHECK(script->submits == 1);
}

TEST_CASE("a part's debug map leads to its nodes") {
    const auto script = npu({"Conv", "Relu"});
    Session session = session_of({script});
    const graph::Graph graph = parsed(network);
    std::vector<graph::Group> groups;
    for (const graph::NodeId node : graph.nodes()) groups.push_back({.nodes = {node}});
    const auto cut =
        graph::partition(session, graph, graph::with_ends(graph, groups), {}, graph::Preprocess::now);
    REQUIRE(cut);
    const Artifact& code = cut->parts.at(0).program.codes.at(0);
    CHECK(code.format == graph_part_format);
    CHECK(code.target == "npu:d1");
    CHECK(*code.files.at(0).text == "c1\nr1\n");
    REQUIRE(code.debug_map.size() == 2);
    CHECK(code.debug_map[1].target == 16);
    CHECK(code.debug_map[1].source.line == 2);
}
