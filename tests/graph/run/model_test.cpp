#include <atomic>
#include <thread>

#include <doctest/doctest.h>
#include <support/interpreting_double.hpp>

#include "graph/run/run_graph.hpp"

namespace muster::graph {
namespace {

Tensor numbers(std::initializer_list<float> values) {
    return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

std::string run_error(std::string_view statements, std::vector<Tensor> inputs) {
    Model model = *Model::open(session_on("cpu"), graph_of(statements));
    const auto got = model.run(inputs);
    REQUIRE(!got);
    return got.error().to_string();
}

}  // namespace

TEST_CASE("A model runs with inputs of several sizes") {
    Model model = *Model::open(session_on("cpu"),
                               graph_of("input x: f32[N]\ny = Add(x, x)\nconstant a: i64[1] = [0]\nz = "
                                        "ReduceSum(x, a) {keepdims = 0}\noutput y\noutput z"));
    for (int turn = 0; turn < 2; ++turn) {
        const auto three = model.run(std::array{numbers({1, 2, 3})});
        REQUIRE(three);
        CHECK((*three)[0] == numbers({2, 4, 6}));
        CHECK(floats((*three)[1])[0] == 6);
        const auto one = model.run(std::array{numbers({5})});
        REQUIRE(one);
        CHECK((*one)[0] == numbers({10}));
    }
}

TEST_CASE("Inputs that decide shapes may differ from run to run") {
    Model model = *Model::open(session_on("cpu"),
                               graph_of("input x: f32[6]\ninput s: i64[2]\ny = Reshape(x, s)\noutput y"));
    const Tensor x = numbers({1, 2, 3, 4, 5, 6});
    const auto wide = model.run(std::array{x, Tensor::of<std::int64_t>({2}, {2, 3})});
    const auto high = model.run(std::array{x, Tensor::of<std::int64_t>({2}, {3, -1})});
    REQUIRE(wide);
    REQUIRE(high);
    CHECK((*wide)[0].sizes()[0] == 2);
    CHECK((*high)[0].sizes()[0] == 3);
}

TEST_CASE("Wrong inputs are refused with what is wanted") {
    const std::string graph = "input x: f32[4]\ny = Exp(x)\noutput y";
    CHECK(has(run_error(graph, {}), "has 1 inputs, and 0 tensors are given"));
    CHECK(has(run_error(graph, {Tensor::of<std::int32_t>({4}, {1, 2, 3, 4})}),
              "Input \"x\" is f32[4], and i32[4] is given"));
    CHECK(has(run_error(graph, {numbers({1, 2, 3})}), "\"x\""));
}

TEST_CASE("An integer of 64 bits that doesn't fit 32 is an error, and no other number") {
    const std::string error = run_error("input x: i64[2]\ny = Add(x, x)\noutput y",
                                        {Tensor::of<std::int64_t>({2}, {1, std::int64_t{1} << 40})});
    CHECK(has(error, "1099511627776"));
    CHECK(has(error, "reading input \"x\""));
}

TEST_CASE("Arithmetic on integers of 64 bits is refused where 32 may not hold it") {
    const auto run = [](std::int64_t number) {
        Model model = *Model::open(session_on("cpu"),
                                   graph_of("input x: i64[2]\ny = Mul(x, x) @ \"square\"\noutput y"));
        return model.run(std::array{Tensor::of<std::int64_t>({2}, {1, number})});
    };
    const auto small = run(-200);
    REQUIRE(small);
    CHECK(integers((*small)[0])[1] == 40000);
    const auto large = run(70000);  // may be up to 2^24 as far as the plan knows
    REQUIRE(!large);
    CHECK(has(large.error().to_string(), "Node \"square\" (Mul) makes integers of 64 bits"));
}

TEST_CASE("Threads may run a model at the same time") {
    Model model =
        *Model::open(session_on("cpu"), graph_of("input x: f32[N]\na = Exp(x)\nb = Softmax(a)\noutput b"));
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            std::vector<float> values(static_cast<std::size_t>(16 + t % 2));
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<float>(i) * 0.1f + static_cast<float>(t);
            const Tensor x =
                Tensor::of<float>({static_cast<std::int64_t>(values.size())}, std::span<const float>(values));
            const auto first = model.run(std::array{x});
            for (int i = 0; i < 20; ++i) {
                const auto again = model.run(std::array{x});
                if (!first || !again || !((*first)[0] == (*again)[0])) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

TEST_CASE("A summary names the nodes of each step, and where it runs") {
    Model model = *Model::open(session_on("cpu"),
                               graph_of("input x: f32[4]\na = Exp(x) @ \"first\"\nb = Neg(a) @ \"second\"\nc "
                                        "= Identity(b)\ny = Softmax(c) @ \"third\"\noutput y"));
    const auto summary = model.route(std::array{numbers({1, 2, 3, 4})});
    REQUIRE(summary);
    REQUIRE(summary->steps.size() == 2);
    CHECK(summary->steps[0].nodes == std::vector<std::string>{"\"first\" (Exp)", "\"second\" (Neg)"});
    CHECK(summary->steps[0].pattern == "element-wise operators");
    CHECK(summary->steps[1].route->execute()->id() == "cpu:0");
    const auto times = model.profile(std::array{numbers({1, 2, 3, 4})});
    REQUIRE(times);
    CHECK(times->size() == 2);
    CHECK((*times)[1].step == 1);
}

TEST_CASE("A constant with a NaN is told") {
    const auto notes = [](std::string_view statements) {
        Model model = *Model::open(session_on("cpu"), graph_of(statements));
        return model.route(seeded_inputs(model.graph()))->notes;
    };
    CHECK(notes("input x: f32[2]\nconstant a: f32[2] = [1, inf]\ny = Add(x, a)\noutput y").empty());
    CHECK(
        notes("input x: f32[2]\nconstant a: f32[2] = [1, nan]\nconstant b: f32[2] = [nan, 1]\ns = Add(x, a)\n"
              "y = Mul(s, b)\noutput y") ==
        std::vector<std::string>{
            "Constant \"a\" has a NaN, at element 1, and so has another one: what is computed "
            "from it may be NaN."});
    CHECK(notes("input x: f16[2]\nconstant a: f16[2] = [nan, 1]\ny = Add(x, a)\noutput y").size() == 1);
}

TEST_CASE("A model that is larger than the device's memory is refused before it is uploaded") {
    const auto device = std::make_shared<test::DeviceScript>();
    const auto error = [&](std::uint64_t memory_bytes, std::string_view statements) {
        device->info.memory_bytes = memory_bytes;
        Model model = *Model::open(test::interpreting_session({device}), graph_of(statements));
        const auto got = model.run(std::array{Tensor::of<float>({1, 64}, std::vector<float>(64, 1))});
        return got ? std::string() : got.error().to_string();
    };
    const std::string product =
        "input x: f32[1, 64]\nconstant c: i64[2] = [64, 64]\nw = ConstantOfShape(c)\ny = MatMul(x, "
        "w)\noutput y";
    CHECK(error(0, product).empty());  // the device doesn't say
    CHECK(error(1 << 20, product).empty());
    const int allocations = device->allocations;
    CHECK(has(error(16000, product),
              "The model takes 16896 bytes on parts:0, for weights 16384 and for values 512, and the device "
              "has 16000."));
    CHECK(has(error(16000, product), "Fix: run it on a device with more memory"));
    // Values: an outer product of 64 by 64.
    CHECK(has(error(16000, "input x: f32[1, 64]\nt = Transpose(x)\ny = MatMul(t, x)\noutput y"),
              "for weights 0 and for values"));
    CHECK(device->allocations == allocations);
}

TEST_CASE("A device whose memory others have taken says how much the model takes") {
    const auto full = std::make_shared<test::Script>();
    full->allocate = test::Act::exhaust;
    Model model = *Model::open(*Session::open({.fleet = std::make_shared<Fleet>(
                                                   std::vector{test::entry(full)}, std::chrono::minutes(1)),
                                               .use_environment = false}),
                               graph_of("input x: f32[4]\ny = Exp(x)\noutput y"));
    const auto got = model.run(std::array{numbers({1, 2, 3, 4})});
    REQUIRE(!got);
    CHECK(got.error().code == ErrorCode::out_of_memory);
    CHECK(has(got.error().to_string(),
              "while running a model with 0 bytes of weights and 32 of values on double:0"));
}

}  // namespace muster::graph
