// Small files that ask for much: each is refused before it takes the machine's memory or time.
#include "model_of.hpp"

using namespace muster;
using namespace muster::graph;

namespace {

std::string op(std::string_view name, std::initializer_list<std::string_view> inputs, std::string_view output,
               std::string_view more = "") {
    std::string text = fmt::format("node {{ op_type: \"{}\" output: \"{}\" {} ", name, output, more);
    for (const std::string_view input : inputs) text += fmt::format("input: \"{}\" ", input);
    return text + "} ";
}

}  // namespace

TEST_CASE("onnx: ranks that double end at 64 axes") {
    std::string graph = input("v0", 7, {"1", "1"});
    for (int i = 0; i < 10; ++i) {
        const std::string from = fmt::format("v{}", i);
        graph += op("Gather", {from, from}, fmt::format("v{}", i + 1));
    }
    CHECK(has(error_of(model(13, graph + output("v10"))),
              "A tensor would have 65 axes, and tensors have at most 64.\n"
              "  while adding the node that makes \"v6\" (Gather)"));
    std::string dims;
    for (int i = 0; i < 65; ++i) dims += "dims: 1 ";
    CHECK(has(error_of(model(13, "initializer { name: \"c\" data_type: 1 float_data: 1 " + dims + "} " +
                                     op("Identity", {"c"}, "y") + output("y"))),
              "A tensor would have 65 axes, and tensors have at most 64.\n  while adding constant \"c\""));
}

TEST_CASE("onnx: products of sizes end at 64 symbols") {
    std::string graph = input("x", 1, {"N"}) + op("Shape", {"x"}, "v0");
    for (int i = 0; i < 60; ++i) {
        const std::string from = fmt::format("v{}", i);
        graph += op("Mul", {from, from}, fmt::format("v{}", i + 1));
    }
    const auto size_after = [&](int count) {
        const Graph made = imported(
            model(13, graph + op("ConstantOfShape", {fmt::format("v{}", count)}, "y") + output("y")));
        return to_string(made.value(made.outputs()[0]).type);
    };
    CHECK(size_after(1) == "f32[N*N]");
    CHECK(size_after(60) == "f32[?]");
}

TEST_CASE("onnx: calls lie within each other up to 64 deep") {
    const auto nested = [](int count) {
        std::string functions;
        for (int i = 0; i < count; ++i) {
            functions += fmt::format(
                             "functions {{ domain: \"my\" name: \"F{}\" input: \"a\" output: \"b\" "
                             "opset_import {{ version: 9 }} ",
                             i) +
                         (i + 1 == count ? op("Neg", {"a"}, "b")
                                         : op(fmt::format("F{}", i + 1), {"a"}, "b", "domain: \"my\"")) +
                         "} ";
        }
        return model(18, input("x", 1, {"2"}) + op("F0", {"x"}, "y", "domain: \"my\"") + output("y"),
                     functions);
    };
    CHECK(statements(imported(nested(64))) == "    input x: f32[2]\n    y = Neg(x): f32[2]\n    output y\n");
    CHECK(has(error_of(nested(65)), "calls and branches lie within each other more than 64 deep."));
}

TEST_CASE("onnx: calls add no more names than fit") {
    // A thousand nodes with names of 10,000 bytes, called 30 times: 300 MB.
    std::string body;
    for (int i = 0; i < 1000; ++i)
        body += op("Neg", {i == 0 ? "a" : fmt::format("v{}", i - 1)}, fmt::format("v{}", i),
                   "name: \"" + std::string(10'000, 'n') + "\"");
    std::string calls;
    for (int i = 0; i < 30; ++i) calls += op("F", {"x"}, fmt::format("y{}", i), "domain: \"my\"");
    CHECK(has(error_of(model(18, input("x", 1, {"2"}) + calls + output("y0"),
                             "functions { domain: \"my\" name: \"F\" input: \"a\" output: \"v999\" "
                             "opset_import { version: 9 } " +
                                 body + "} ")),
              "Calls of functions and branches add more than 268435456 bytes of names and attributes."));
}

TEST_CASE("onnx: names of sizes, attributes and opsets have limits") {
    const std::string relu = op("Relu", {"x"}, "y") + output("y");
    CHECK(imported(model(13, input("x", 1, {std::string(256, 'n')}) + relu)).node_count() == 1);
    CHECK(has(error_of(model(13, input("x", 1, {std::string(257, 'n')}) + relu)),
              "The name of its size 0 has more than 256 bytes."));
    std::string attributes, opsets;
    for (int i = 0; i < 1001; ++i) {
        attributes += fmt::format("attribute {{ name: \"a{}\" type: INT i: 1 }} ", i);
        opsets += fmt::format("opset_import {{ domain: \"d{}\" version: 1 }} ", i);
    }
    CHECK(has(error_of(model(13, input("x", 1, {"2"}) + op("Relu", {"x"}, "y", attributes) + output("y"))),
              "has 1001 attributes, more than 1000."));
    CHECK(has(error_of(model(13, input("x", 1, {"2"}) + relu, opsets)),
              "It imports 1002 opsets, more than 1000."));
}
