// What is refused, and with which sentence.
#include "model_of.hpp"

using namespace muster;
using namespace muster::graph;

namespace {

const std::string x = input("x", 1, {"2"}), y = output("y");
const std::string relu = "node { op_type: \"Relu\" name: \"r\" input: \"x\" output: \"y\" } ";

std::string with_constant(std::string_view tensor) {
    return model(13, x + fmt::format("initializer {{ name: \"c\" {} }} ", tensor) +
                         "node { op_type: \"Add\" name: \"a\" input: \"x\" input: \"c\" output: \"y\" } " +
                         y);
}

std::string error_of_bytes(std::string_view bytes) {
    const auto graph = import_onnx_bytes(std::as_bytes(std::span(bytes)));
    REQUIRE(!graph);
    return graph.error().to_string();
}

}  // namespace

TEST_CASE("onnx: operators, domains and opsets that aren't supported are named") {
    const auto op = [](std::string_view name, std::string_view domain = "", int opset = 13) {
        return model(
            opset,
            x +
                fmt::format(
                    "node {{ op_type: \"{}\" domain: \"{}\" name: \"n\" input: \"x\" output: \"y\" }} ", name,
                    domain) +
                y);
    };
    CHECK(error_of(op("Warp")) ==
          "Node \"n\" (Warp): Warp isn't an operator that graphs here have.\n"
          "Fix: use one of those that docs/models.md lists, or a model-local function of them");
    CHECK(has(error_of(op("Relu", "com.acme")),
              "Node \"n\" (Relu) has the operator Relu of the domain com.acme, and only ONNX's own "
              "domain is supported."));
    CHECK(has(error_of(op("Relu", "", 6)),
              "It uses opset 6 of ONNX's operators, and opsets 7 to 28 are imported.\nFix: convert it"));
    CHECK(has(error_of(op("Relu", "", 29)), "It uses opset 29 of ONNX's operators"));
    CHECK(imported(op("Relu", "ai.onnx", 28)).node_count() == 1);
    CHECK(has(error_of(op("HardSwish", "", 13)),
              "HardSwish is an operator since opset 14, and the model uses opset 13."));
    CHECK(has(error_of("ir_version: 8 graph { " + x + relu + y + "}"), "It doesn't say which opset"));
    CHECK(has(error_of("ir_version: 15 opset_import { version: 13 } graph { " + x + relu + y + "}"),
              "It is of version 15 of the format, and versions up to 14 are read."));
    CHECK(has(error_of("ir_version: 8"), "It has no graph."));
}

TEST_CASE("onnx: types that tensors here don't have are named") {
    CHECK(
        has(error_of(model(13, input("x", 11, {"2"}) + relu + y)),
            "It has elements of double, and tensors here have elements of f32, f16, i8, u8, i32, i64, bool.\n"
            "  while reading the input \"x\"\nFix: convert the model to one of these types"));
    CHECK(
        has(error_of(with_constant("data_type: 11 dims: 2 double_data: 1 double_data: 2")),
            "It has elements of double, and tensors here have elements of f32, f16, i8, u8, i32, i64, bool.\n"
            "  while reading the constant \"c\""));
    CHECK(has(error_of(with_constant("data_type: 99 dims: 2")), "It has elements of the unknown type 99"));
    CHECK(has(error_of(model(13, "input { name: \"x\" type { sequence_type { } } } " + relu + y)),
              "It is a sequence, and graphs here have tensors alone."));
    CHECK(has(error_of(model(13, "input { name: \"x\" } " + relu + y)), "It is a value without a type"));
    CHECK(has(error_of(model(13, "input { name: \"x\" type { tensor_type { elem_type: 1 } } } " + relu + y)),
              "The file doesn't say its number of axes, which must be known."));
    CHECK(has(error_of(model(13, input("x", 1, {"-5"}) + relu + y)), "Its size 0 is -5."));
    CHECK(has(error_of(model(13, x + "sparse_initializer { values { name: \"s\" } } " + relu + y)),
              "The initialiser \"s\" is sparse, which isn't supported."));
    CHECK(has(error_of(model(13, x + relu + "output { " + typed("y", 7, {"2"}) + "} ")),
              "The output \"y\" is f32[2], and the file says that it has elements of int64."));
}

TEST_CASE("onnx: data that doesn't fit its tensor is refused") {
    CHECK(has(error_of(with_constant("data_type: 1 dims: 2 raw_data: \"1234567\"")),
              "A tensor f32[2] takes 8 bytes, and its data has 7.\n  while reading the constant \"c\""));
    CHECK(has(error_of(with_constant("data_type: 1 dims: 3 float_data: 1")),
              "takes 12 bytes, and its data has 4."));
    CHECK(has(error_of(with_constant("data_type: 1 dims: 2")), "takes 8 bytes, and its data has 0."));
    CHECK(has(error_of(with_constant("data_type: 2 dims: 1 int32_data: 256")),
              "Its int32_data has 256 as element 0, which uint8 can't hold."));
    CHECK(has(error_of(with_constant("data_type: 3 dims: 1 int32_data: 128")), "which int8 can't hold."));
    CHECK(has(error_of(with_constant("data_type: 1 dims: -1 float_data: 1")),
              "A tensor's size of -1 is negative."));
    CHECK(has(error_of(with_constant("data_type: 1 dims: 4294967296 dims: 4294967296 dims: 4294967296")),
              "has more than"));
    CHECK(has(error_of(with_constant("data_type: 1 dims: 1 segment { begin: 0 end: 1 }")),
              "It is stored in segments"));
}

TEST_CASE("onnx: graphs that don't hold together are refused") {
    CHECK(has(
        error_of(model(
            13, x + "node { op_type: \"Add\" name: \"a\" input: \"x\" input: \"w\" output: \"y\" } " + y)),
        "Node \"a\" (Add) reads \"w\", which nothing before it makes."));
    CHECK(has(error_of(model(13, x + relu + output("z"))), "Nothing makes the output \"z\"."));
    CHECK(has(error_of(model(13, x + relu)), "has no outputs."));
    CHECK(has(error_of(model(13, x + relu + "node { op_type: \"Abs\" input: \"x\" output: \"y\" } " + y)),
              "Two nodes make \"y\": \"r\" (Relu) and that makes \"y\" (Abs)."));
    CHECK(has(error_of(model(13, x + x + relu + y)), "Two values are called \"x\"."));
    CHECK(has(error_of(model(13, x + input("z", 1, {"2"}) +
                                     "node { op_type: \"Abs\" input: \"z\" output: \"x\" } " + relu + y)),
              "Two values are called \"x\"."));
    CHECK(has(error_of(model(13, x +
                                     "node { op_type: \"Relu\" name: \"r\" input: \"x\" output: \"y\" "
                                     "attribute { name: \"foo\" type: INT "
                                     "i: 1 } } " +
                                     y)),
              "Relu has no attribute foo.\n  while adding node \"r\" (Relu)"));
    CHECK(has(error_of(model(13, x +
                                     "node { op_type: \"Relu\" input: \"x\" output: \"y\" attribute { name: "
                                     "\"foo\" type: GRAPH g { } } } " +
                                     y)),
              "Its attribute foo is a graph, which isn't supported."));
    CHECK(has(error_of(model(13, x + "node { op_type: \"Relu\" output: \"y\" } " + y)),
              "It has 0 inputs, and takes 1."));
    CHECK(has(error_of(model(13, x + "node { op_type: \"Relu\" input: \"x\" } " + relu + y)),
              "It has 0 outputs, and gives 1."));
}

TEST_CASE("onnx: a circle names its nodes") {
    const std::string circle =
        "node { op_type: \"Add\" name: \"a\" input: \"x\" input: \"c\" output: \"y\" } "
        "node { op_type: \"Abs\" name: \"b\" input: \"y\" output: \"b\" } "
        "node { op_type: \"Neg\" name: \"c\" input: \"b\" output: \"c\" } ";
    CHECK(has(error_of(model(13, x + circle + y)),
              "3 nodes read each other's outputs in a circle: \"a\" (Add) reads from \"c\" (Neg) reads from "
              "\"b\" (Abs) reads from the "
              "first."));
    CHECK(
        has(error_of(model(13, x + "node { op_type: \"Abs\" name: \"b\" input: \"y\" output: \"y\" } " + y)),
            "Node \"b\" (Abs) reads its own output."));
}

TEST_CASE("onnx: bytes that are no model are refused, with the place") {
    CHECK(has(error_of_bytes(""), "It has no graph."));
    CHECK(has(error_of_bytes("hello, this is a text"), "It isn't an ONNX model: at byte 2 of 21, "));
    CHECK(has(error_of_bytes("\x89PNG\r\n\x1a\n"), "It isn't an ONNX model: at byte 0 of 8, "));
    CHECK(has(error_of_bytes(std::string_view("\0", 1)), "at byte 0 of 1, there is no field."));
    const auto bytes = bytes_of(model(13, x + relu + y));
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        const auto graph = import_onnx_bytes(std::span(bytes).first(size));
        REQUIRE(!graph);
    }
    const auto cut = import_onnx_bytes(std::span(bytes).first(bytes.size() - 1));
    CHECK(has(cut.error().to_string(), "is longer than what it is in; the file may be cut off."));
}

TEST_CASE("onnx: limits of the format's structure") {
    std::string deep{'\x0a', '\0'};  // an empty node
    for (int i = 0; i < 40; ++i) {   // a node with an attribute with a graph with that node
        const auto wrapped = [](char tag, const std::string& inner) {
            std::string text(1, tag);
            for (std::size_t size = inner.size();; size >>= 7) {
                text += static_cast<char>((size & 127) | (size > 127 ? 128 : 0));
                if (size <= 127) break;
            }
            return text + inner;
        };
        deep = wrapped('\x0a', wrapped('\x2a', wrapped('\x32', deep)));
        if (i == 39) deep = wrapped('\x3a', deep);
    }
    CHECK(has(error_of_bytes(deep), "messages lie within each other more than 100 deep."));
    std::string wide;
    for (int i = 0; i < 10'000'001; ++i) wide += "\x08\x01";
    CHECK(has(error_of_bytes(wide), "It has more than 10000000 parts"));
}
