// What a model's file becomes: values, constants, symbols, branches, functions.
#include <algorithm>
#include <ctime>

#include "model_of.hpp"

using namespace muster;
using namespace muster::graph;

namespace {

std::string node(std::string_view op, std::initializer_list<std::string_view> inputs, std::string_view output,
                 std::string_view more = "") {
    std::string text = fmt::format("node {{ op_type: \"{}\" output: \"{}\" {} ", op, output, more);
    for (const std::string_view input : inputs) text += fmt::format("input: \"{}\" ", input);
    return text + "} ";
}
const std::string x2 = input("x", 1, {"2"});

}  // namespace

TEST_CASE("onnx: a graph keeps its names and those of its nodes") {
    const Graph graph =
        imported(model(13, x2 + node("Relu", {"x"}, "y", "name: \"first one\"") + output("y")));
    CHECK(print_graph(graph) ==
          "graph \"g\" {\n    input x: f32[2]\n    y = Relu(x) @ \"first one\": f32[2]\n    output y\n}\n");
}

TEST_CASE("onnx: dimensions are numbers, symbols, products, or symbols of their own") {
    const Graph graph = imported(model(13, input("x", 1, {"N", "2*N*T", "?", "-1", "a b", "3*", "7"}) +
                                               node("Relu", {"x"}, "y") + output("y")));
    CHECK(to_string(graph.value(graph.outputs()[0]).type) == "f32[N, 2*N*T, x.2, x.3, a b, 3*, 7]");
    const Graph taken =
        imported(model(13, input("x", 1, {"?", "x.0"}) + node("Relu", {"x"}, "y") + output("y")));
    CHECK(to_string(taken.value(taken.outputs()[0]).type) == "f32[x.0., x.0]");
    const std::string question =
        "name: \"x\" type { tensor_type { elem_type: 1 shape { dim { dim_param: \"?\" } dim { "
        "dim_param: \"?\" } } } }";
    const Graph open =
        imported(model(13, "input { " + question + " } " + node("Relu", {"x"}, "y") + output("y")));
    CHECK(to_string(open.value(open.outputs()[0]).type) == "f32[x.0, x.1]");
}

TEST_CASE("onnx: initialisers are constants where they are read, also those with an input") {
    const std::string tensors =
        "initializer { name: \"w\" data_type: 1 dims: 2 float_data: 1 float_data: 2 } "
        "initializer { name: \"unread\" data_type: 11 dims: 1 double_data: 1 } ";
    const Graph graph =
        imported(model(13, x2 + input("w", 1, {"2"}) + tensors + node("Add", {"x", "w"}, "y") + output("y")));
    CHECK(statements(graph) ==
          "    input x: f32[2]\n    constant w: f32[2] = [1, 2]\n    y = Add(x, w): f32[2]\n    output y\n");
}

TEST_CASE("onnx: all forms of Constant are constants without a node") {
    const auto of = [](std::string_view attribute) {
        return statements(
            imported(model(13, node("Constant", {}, "c", fmt::format("attribute {{ {} }}", attribute)) +
                                   node("Identity", {"c"}, "y") + output("y"))));
    };
    CHECK(has(of("name: \"value\" type: TENSOR t { data_type: 6 dims: 1 int32_data: 5 }"),
              "constant c: i32[1] = [5]"));
    CHECK(has(of("name: \"value_float\" type: FLOAT f: 1.5"), "constant c: f32[] = [1.5]"));
    CHECK(has(of("name: \"value_floats\" type: FLOATS floats: 1 floats: 2"), "constant c: f32[2] = [1, 2]"));
    CHECK(has(of("name: \"value_int\" type: INT i: 3"), "constant c: i64[] = [3]"));
    CHECK(has(of("name: \"value_ints\" type: INTS ints: 3 ints: 4"), "constant c: i64[2] = [3, 4]"));
}

TEST_CASE("onnx: a tensor's values may lie in any of its type's fields") {
    const auto of = [](std::string_view tensor) {
        return statements(imported(model(13, fmt::format("initializer {{ name: \"c\" {} }} ", tensor) +
                                                 node("Identity", {"c"}, "y") + output("y"))));
    };
    CHECK(has(of("data_type: 10 dims: 1 int32_data: 15360"), "constant c: f16[1] = [1]"));
    CHECK(
        has(of("data_type: 3 dims: 2 int32_data: -128 int32_data: 127"), "constant c: i8[2] = [-128, 127]"));
    CHECK(has(of("data_type: 2 dims: 1 int32_data: 255"), "constant c: u8[1] = [255]"));
    CHECK(has(of("data_type: 9 dims: 2 int32_data: 0 int32_data: 1"), "constant c: bool[2]"));
    CHECK(has(of("data_type: 9 dims: 2 raw_data: \"\\000\\007\""), "constant c: bool[2] = [0, 1]"));
    CHECK(has(of("data_type: 7 dims: 1 int64_data: -5"), "constant c: i64[1] = [-5]"));
    CHECK(has(of("data_type: 7 dims: 0"), "constant c: i64[0] = []"));
    CHECK(has(of("data_type: 6 raw_data: \"\\001\\000\\000\\000\""), "constant c: i32[] = [1]"));
}

TEST_CASE("onnx: inputs with known values become constants") {
    const std::string graph =
        x2 + input("axes", 7, {"1"}) + node("Unsqueeze", {"x", "axes"}, "y") + output("y");
    ImportOptions options;
    options.constants.emplace_back("axes", Tensor::of<std::int64_t>({1}, {0}));
    CHECK(has(statements(imported(model(13, graph), options)), "y = Unsqueeze(x, axes): f32[1, 2]"));
    options.constants[0].first = "axis";
    CHECK(has(error_of(model(13, graph), options),
              "The model has no input \"axis\" that could be a constant."));
    options.constants = {{"axes", Tensor::of<std::int64_t>({2}, {0, 1})}};
    CHECK(has(error_of(model(13, graph), options),
              "The input \"axes\" is i64[1], and the constant for it is i64[2]."));
    options.constants = {{"axes", Tensor::of<std::int32_t>({1}, {0})}};
    CHECK(has(error_of(model(13, graph), options), "and the constant for it is i32[1]."));
}

TEST_CASE("onnx: sizes that are given are numbers") {
    const std::string graph = input("x", 1, {"2*N", "?", "T"}) + node("Relu", {"x"}, "y") + output("y");
    const auto type = [&](const ImportOptions& options) {
        const Graph made = imported(model(13, graph), options);
        return to_string(made.value(made.outputs()[0]).type);
    };
    CHECK(type({.sizes = {{"N", 3}}}) == "f32[6, x.1, T]");
    CHECK(type({.sizes = {{"x.1", 5}, {"T", 0}}}) == "f32[2*N, 5, 0]");
    CHECK(has(error_of(model(13, graph), {.sizes = {{"M", 3}}}),
              "No input of the model has a size \"M\" that is open."));
    CHECK(has(error_of(model(13, graph), {.sizes = {{"N", -3}}}), "A tensor's size of -6 is negative."));
}

TEST_CASE("onnx: nodes may stand in any order") {
    const Graph graph = imported(model(
        13, x2 + node("Neg", {"a"}, "y") + node("Relu", {"b"}, "a") + node("Abs", {"x"}, "b") + output("y")));
    CHECK(has(statements(graph), "b = Abs(x): f32[2]\n    a = Relu(b): f32[2]\n    y = Neg(a): f32[2]"));
}

TEST_CASE("onnx: optional outputs that nothing reads are left out") {
    const std::string pool =
        node("MaxPool", {"x"}, "y", "output: \"i\" attribute { name: \"kernel_shape\" type: INTS ints: 1 }");
    CHECK(has(statements(imported(model(13, input("x", 1, {"1", "1", "4"}) + pool + output("y")))),
              "    y = MaxPool(x)"));
    CHECK(has(statements(imported(model(13, input("x", 1, {"1", "1", "4"}) + pool + output("i")))),
              "    y, i = MaxPool(x)"));
}

namespace {

/// An If on `condition`, of x; the branches negate it, or give z.
std::string branches(std::string_view condition) {
    const std::string negated = node("Neg", {"x"}, "n") + output("n");
    return node("If", {condition}, "y",
                "attribute { name: \"then_branch\" type: GRAPH g { name: \"t\" " + negated +
                    "} } attribute { name: \"else_branch\" type: GRAPH g { name: \"e\" " + output("z") +
                    "} }") +
           output("y");
}

}  // namespace

TEST_CASE("onnx: an If with a known condition is its branch") {
    const auto of = [](std::string_view value) {
        return statements(imported(
            model(13, x2 + fmt::format("initializer {{ name: \"c\" data_type: 9 int32_data: {} }} ", value) +
                          node("Abs", {"x"}, "z") + branches("c"))));
    };
    CHECK(has(of("1"), "    y = Neg(x): f32[2]\n    output y"));
    CHECK(has(of("0"), "    y = Identity(z): f32[2]\n    output y"));
    const std::string rank = "initializer { name: \"one\" data_type: 7 dims: 1 int64_data: 2 } " +
                             node("Shape", {"x"}, "s") + node("Equal", {"s", "one"}, "c") +
                             node("Abs", {"x"}, "z");
    CHECK(has(statements(imported(model(13, x2 + rank + branches("c")))), "    y = Neg(x): f32[2]"));
    CHECK(has(error_of(model(13, x2 + input("c", 9, {"1"}) + node("Abs", {"x"}, "z") + branches("c"))),
              "Node that makes \"y\" (If) has a condition, \"c\", that isn't known before the model runs."));
}

namespace {

const std::string twice =
    "functions { domain: \"my\" name: \"Twice\" input: \"a\" output: \"b\" opset_import { version: 9 } "
    "attribute: \"hi\" " +
    node("Add", {"a", "a"}, "sum") +
    node("Clip", {"sum"}, "b", "attribute { name: \"max\" type: FLOAT ref_attr_name: \"hi\" }") + "} ";

}  // namespace

TEST_CASE("onnx: calls of model-local functions become their nodes") {
    const std::string calls = node(
        "Twice", {"x"}, "y", "domain: \"my\" name: \"call\" attribute { name: \"hi\" type: FLOAT f: 6 }");
    const Graph graph = imported(model(18, x2 + calls + output("y"), twice));
    CHECK(statements(graph) ==
          "    input x: f32[2]\n    \"call/sum\" = Add(x, x): f32[2]\n    constant y.max: f32[] = [6]\n"
          "    y = Clip(\"call/sum\", _, y.max): f32[2]\n    output y\n");
    const std::string plain = node("Twice", {"x"}, "call/sum", "domain: \"my\" name: \"call\"") +
                              node("Twice", {"call/sum"}, "y", "domain: \"my\" name: \"call\"");
    CHECK(
        has(statements(imported(model(18, x2 + plain + output("y"), twice))), "\"call/sum.2\" = Add(x, x)"));
}

TEST_CASE("onnx: functions that call themselves or without end are refused") {
    const std::string self =
        "functions { domain: \"my\" name: \"F\" input: \"a\" output: \"b\" opset_import { version: 9 } " +
        node("F", {"a"}, "b", "domain: \"my\"") + "} ";
    CHECK(has(error_of(model(18, x2 + node("F", {"x"}, "y", "domain: \"my\"") + output("y"), self)),
              "calls a function within itself."));
    std::string many;
    for (int i = 0; i < 40; ++i) {
        const std::string next = fmt::format("F{}", i + 1);
        many +=
            fmt::format(
                "functions {{ domain: \"my\" name: \"F{}\" input: \"a\" output: \"c\" opset_import {{ "
                "version: 9 }} ",
                i) +
            (i == 39 ? node("Neg", {"a"}, "c")
                     : node(next, {"a"}, "b", "domain: \"my\"") + node(next, {"b"}, "c", "domain: \"my\"")) +
            "} ";
    }
    CHECK(has(error_of(model(18, x2 + node("F0", {"x"}, "y", "domain: \"my\"") + output("y"), many)),
              "Calls of functions and branches add more than 1000000 nodes."));
}

namespace {

/// 100,000 nodes in a row, of old forms too, with 25,000 initialisers; in order or the last one first.
std::string long_model(bool in_order) {
    std::string tensors, nodes, before = "x";
    std::vector<std::string> parts;
    for (int i = 0; i < 25'000; ++i) {
        const auto name = [&](char kind) { return fmt::format("{}{}", kind, i); };
        tensors += fmt::format(
            "initializer {{ name: \"w{}\" data_type: 1 dims: 2 float_data: 1 float_data: 2 }} ", i);
        const std::string axes = "attribute { name: \"axes\" type: INTS ints: 0 }";
        parts.push_back(node("Add", {before, name('w')}, name('a'), fmt::format("name: \"add{}\"", i)));
        parts.push_back(node("Relu", {name('a')}, name('r'), fmt::format("name: \"relu{}\"", i)));
        parts.push_back(node("Unsqueeze", {name('r')}, name('u'), axes));
        parts.push_back(node("Squeeze", {name('u')}, name('s'), axes));
        before = name('s');
    }
    if (!in_order) std::ranges::reverse(parts);
    for (const std::string& part : parts) nodes += part;
    return model(11, input("x", 1, {"N", "2"}) + tensors + nodes + output(before));
}

}  // namespace

TEST_CASE("onnx: a graph of 100,000 nodes") {
    for (const bool in_order : {true, false}) {
        const auto bytes = bytes_of(long_model(in_order));
        const std::clock_t start = std::clock();  // the processor's time, whatever else runs
        const auto graph = import_onnx_bytes(bytes);
        const std::clock_t taken = std::clock() - start;
        REQUIRE(graph);
        CHECK(graph->node_count() == 100'000);
        CHECK(to_string(graph->value(graph->outputs()[0]).type) == "f32[N, 2]");
        MESSAGE("100,000 nodes imported in ", taken * 1000 / CLOCKS_PER_SEC, " ms of processor time");
    }
}
