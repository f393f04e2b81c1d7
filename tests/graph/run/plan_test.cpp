#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/graph/pack/pack.hpp>
#include <muster/graph/plan/plan.hpp>
#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/rewrite/fuse.hpp>

#include "graph/graph_text.hpp"

namespace muster::graph {
namespace {

Plan plan_of(std::string_view statements) {
    const Graph graph = graph_of(statements);
    const Fused fused = *fuse(graph, portable_pack());
    auto plan = make_plan(graph, lowerable_groups(graph, fused.groups));
    if (!plan) FAIL(plan.error().to_string());
    return *std::move(plan);
}

std::string plan_error(std::string_view statements) {
    const Graph graph = graph_of(statements);
    const auto plan = make_plan(graph, lowerable_groups(graph, fuse(graph, portable_pack())->groups));
    REQUIRE(!plan);
    return plan.error().to_string();
}

std::size_t kernels_of(const Plan& plan) {
    std::size_t count = 0;
    for (const PlannedGroup& group : plan.groups) count += group.kernels.steps.size();
    return count;
}

}  // namespace

TEST_CASE("Views and joined tensors run no kernels") {
    CHECK(kernels_of(plan_of("input x: f32[2, 3]\na = Exp(x)\nb = Transpose(a)\nconstant s: i64[1] = [2]\nc "
                             "= Unsqueeze(b, s)\n"
                             "d = Squeeze(c, s)\ny = Softmax(d)\noutput y")) == 2);
    CHECK(kernels_of(plan_of("input x: f32[2, 3]\na = Exp(x)\nb = Log(x)\nc = Concat(a, b) {axis = 0}\ny = "
                             "Softmax(c)\noutput y")) == 3);
    // An output of the graph lies row-major in memory of its own.
    CHECK(kernels_of(plan_of("input x: f32[2, 3]\ny = Transpose(x)\noutput y")) == 1);
}

TEST_CASE("Values that don't live at the same time share memory") {
    std::string statements = "input x: f32[256]\na0 = Softmax(x)\n";
    for (int i = 1; i < 10; ++i) statements += fmt::format("a{} = Softmax(a{})\n", i, i - 1);
    const Plan plan = plan_of(statements + "output a9");
    CHECK(plan.slot_bytes.size() == 4);  // the input, the output, and two by turns
    for (const std::int64_t bytes : plan.slot_bytes) CHECK(bytes == 1024);
}

TEST_CASE("Element-wise operators write where what they read is no longer needed") {
    const auto bindings = [](std::string_view statements, std::size_t group) {
        return plan_of(statements).groups[group].kernels.steps[0].bindings.size();
    };
    const std::string begin = "input x: f32[4, 4]\na = Softmax(x)\n";
    CHECK(bindings(begin + "b = Exp(a)\ny = Softmax(b)\noutput y", 1) == 1);
    // Somebody reads it later, or it is read at other places, or has other bytes, or is the caller's.
    CHECK(bindings(begin + "b = Exp(a)\nc = Softmax(b)\ny = Add(c, a)\noutput y", 1) == 2);
    CHECK(bindings(begin + "t = Transpose(a)\nb = Add(a, t)\ny = Softmax(b)\noutput y", 2) == 2);
    CHECK(bindings(begin + "b = Cast(a) {to = 6}\nc = Cast(b) {to = 1}\ny = Softmax(c)\noutput b\noutput y",
                   1) == 2);
    CHECK(bindings("input x: f32[4, 4]\nb = Exp(x)\ny = Softmax(b)\noutput y", 0) == 2);
    CHECK(bindings(begin + "y = Exp(a)\noutput y", 1) == 2);
    // A product may overwrite the summand behind it, but no factor.
    const std::string product = begin + "input w: f32[4, 4]\n";
    CHECK(bindings(product + "s = Softmax(w)\nm = MatMul(s, w)\nb = Add(m, a)\ny = Softmax(b)\noutput y",
                   2) == 3);
    CHECK(bindings(product + "m = MatMul(a, w)\nb = Add(m, a)\ny = Softmax(b)\noutput y", 1) == 3);
}

TEST_CASE("What convolutions make has its channels innermost") {
    const Plan plan = plan_of(
        "input x: f32[1, 3, 8, 8]\ninput w: f32[5, 3, 3, 3]\na = Conv(x, w) {pads = [1, 1, 1, 1]}\n"
        "y = MaxPool(a) {kernel_shape = [2, 2]}\noutput y");
    // The pool reads a pixel's neighbour along x five elements on.
    CHECK(has(plan.groups[1].kernels.steps[0].wgsl, "* 5u"));
    CHECK(plan.outputs[0].is_row_major());
}

TEST_CASE("Attention becomes kernels of one product or softmax each, with what follows them") {
    const Plan plan = plan_of(
        "input q: f32[2, 4, 8]\ninput k: f32[2, 8, 4]\ninput v: f32[2, 4, 8]\nconstant s: f32[] = [0.5]\n"
        "a = MatMul(q, k)\nb = Mul(a, s)\nc = Softmax(b)\ny = MatMul(c, v)\noutput y");
    REQUIRE(plan.groups.size() == 3);
    CHECK(plan.groups[0].group.nodes.size() == 2);
    CHECK(plan.groups[0].group.pattern->name == "attention");
}

TEST_CASE("A size that depends on data is refused with the node that makes it") {
    CHECK(has(plan_error("input x: f32[4]\ninput n: i64[1]\na = Expand(x, n)\noutput a"), "depends on data"));
}

}  // namespace muster::graph
