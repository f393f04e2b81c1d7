#include <random>

#include <doctest/doctest.h>

#include "graph/graph_text.hpp"

// Any bytes give a graph or an error. The mutations are seeded, so a failure repeats.
namespace muster::graph {
namespace {

constexpr std::string_view valid = R"(graph "g" {
    input x: f32[N, 3, 8, 8]
    constant w: f32[4, 3, 1, 1] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    constant s: i64[2] = [0, -1]
    constant k: i64[1] = [3]
    constant h: f16[2] = hex "003c0040"
    constant h16: f32[3] = [1, nan, -inf]
    c = Conv(x, w) {strides = [2, 2], pads = [1, 1, 1, 1]} @ "conv\x31": f32[N, 4, 5, 5]
    p = MaxPool(c) {kernel_shape = [2, 2], auto_pad = "SAME_UPPER"}: f32[N, 4, 5, 5]
    r = Reshape(p, s): f32[N, 100]
    t, i = TopK(r, k) {largest = 0}: f32[N, 3], i64[N, 3]
    z = Shape(t)
    g = Gather(z, k)
    e = ConstantOfShape(z) {value = f32[1] = [0.5]}
    b, _, d = LayerNormalization(t, h16): f32[N, 3], _, f32[N, 1]
    output e
}
)";

std::string mutated(std::string text, std::mt19937& random) {
    const auto below = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    for (std::size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) {
        const std::size_t at = below(text.size()), length = std::min(1 + below(12), text.size() - at);
        constexpr std::string_view alphabet = "0123456789-*?,:[](){}=@\"\\_ \nxNwskhcprtz\x80\xff";
        switch (below(5)) {
            case 0: text[at] = alphabet[below(alphabet.size())]; break;
            case 1: text.erase(at, length); break;
            case 2: text.insert(below(text.size()), text.substr(at, length)); break;
            case 3: text.insert(at, 1, alphabet[below(alphabet.size())]); break;
            case 4: text.resize(at); break;
        }
    }
    return text;
}

}  // namespace

TEST_CASE("Mutations of a valid text give a graph that prints, or an error with a place") {
    std::mt19937 random(20);
    int graphs = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string text = mutated(std::string(valid), random);
        const auto graph = parse_graph(text);
        if (!graph) {
            CHECK(graph.error().message.starts_with("graph:"));
            continue;
        }
        ++graphs;
        const auto again = parse_graph(print_graph(*graph));
        REQUIRE_MESSAGE(again, text);
        CHECK_MESSAGE(same_structure(*graph, *again), text);
    }
    CHECK(graphs > 100);
}

TEST_CASE("Random bytes give an error") {
    std::mt19937 random(7);
    for (int i = 0; i < 20'000; ++i) {
        std::string text = i % 2 ? "graph \"g\" {" : "";
        for (std::size_t length = random() % 60; length > 0; --length) text += static_cast<char>(random());
        CHECK(!parse_graph(text));
    }
}

}  // namespace muster::graph
