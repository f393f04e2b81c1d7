// Older forms of operators become the canonical one.
#include "model_of.hpp"

using namespace muster;
using namespace muster::graph;

namespace {

std::string ints(std::string_view name, std::initializer_list<int> values) {
    std::string text = fmt::format("attribute {{ name: \"{}\" type: INTS ", name);
    for (const int value : values) text += fmt::format("ints: {} ", value);
    return text + "} ";
}
std::string integer(std::string_view name, int value) {
    return fmt::format("attribute {{ name: \"{}\" type: INT i: {} }} ", name, value);
}
std::string number(std::string_view name, float value) {
    return fmt::format("attribute {{ name: \"{}\" type: FLOAT f: {} }} ", name, value);
}
std::string text(std::string_view name, std::string_view value) {
    return fmt::format("attribute {{ name: \"{}\" type: STRING s: \"{}\" }} ", name, value);
}

}  // namespace

TEST_CASE("onnx: axes, splits and the like become inputs") {
    CHECK(has(rewritten(11, "op_type: \"Squeeze\"" + ints("axes", {})), "y = Squeeze(x): f32[2, 3, 4]"));
    CHECK(has(rewritten(11, "op_type: \"Unsqueeze\"" + ints("axes", {0})),
              "constant y.axes: i64[1] = [0]\n    y = Unsqueeze(x, y.axes): f32[1, 2, 3, 4]"));
    CHECK(has(rewritten(11, "op_type: \"ReduceSum\"" + ints("axes", {1}) + integer("keepdims", 0)),
              "y = ReduceSum(x, y.axes) {keepdims = 0}: f32[2, 4]"));
    CHECK(has(rewritten(17, "op_type: \"ReduceMean\"" + ints("axes", {-1})),
              "y = ReduceMean(x, y.axes): f32[2, 3, 1]"));
    CHECK(has(rewritten(17, "op_type: \"ReduceMax\""), "y = ReduceMax(x): f32[1, 1, 1]"));
    CHECK(
        has(rewritten(9, "op_type: \"Slice\"" + ints("starts", {1}) + ints("ends", {3}) + ints("axes", {2})),
            "y = Slice(x, y.starts, y.ends, y.axes): f32[2, 3, 2]"));
    CHECK(has(rewritten(9, "op_type: \"TopK\" output: \"i\"" + integer("k", 2)),
              "constant y.k: i64[1] = [2]\n    y, i = TopK(x, y.k): f32[2, 3, 2], i64[2, 3, 2]"));
    CHECK(has(rewritten(11, "op_type: \"Split\" output: \"z\"" + ints("split", {1, 2}) + integer("axis", 1)),
              "y, z = Split(x, y.split) {axis = 1}: f32[2, 1, 4], f32[2, 2, 4]"));
    CHECK(has(rewritten(13, "op_type: \"Split\" output: \"z\""),
              "y, z = Split(x) {num_outputs = 2}: f32[1, 3, 4], f32[1, 3, 4]"));
}

TEST_CASE("onnx: numbers become inputs of the data's type") {
    CHECK(has(rewritten(6 + 1, "op_type: \"Clip\"" + number("max", 6)),
              "constant y.max: f32[] = [6]\n    y = Clip(x, _, y.max): f32[2, 3, 4]"));
    CHECK(has(rewritten(10, "op_type: \"Pad\"" + ints("pads", {0, 0, 1, 0, 0, 1}) + number("value", 0.5)),
              "constant y.value: f32[] = [0.5]\n    y = Pad(x, y.pads, y.value): f32[2, 3, 6]"));
    const std::string half = statements(
        imported(model(9, input("x", 10, {"2"}) + "node { op_type: \"Clip\" input: \"x\" output: \"y\"" +
                              number("min", 1) + "} " + output("y"))));
    CHECK(has(half, "constant y.min: f16[] = [1]\n    y = Clip(x, y.min): f16[2]"));
}

TEST_CASE("onnx: a list in both forms is refused") {
    const std::string both =
        model(11, input("x", 1, {"2"}) + input("axes", 7, {"1"}) +
                      "node { op_type: \"Unsqueeze\" input: \"x\" input: \"axes\" output: \"y\"" +
                      ints("axes", {0}) + "} " + output("y"));
    CHECK(has(error_of(both),
              "It has an attribute axes, and an input 1 as well.\n  while importing node that makes \"y\" "
              "(Unsqueeze)"));
}

TEST_CASE("onnx: Softmax before opset 13 goes over all axes from its own on") {
    CHECK(
        has(rewritten(11, "op_type: \"Softmax\"" + integer("axis", 2)), "    y = Softmax(x): f32[2, 3, 4]"));
    CHECK(has(rewritten(13, "op_type: \"Softmax\"" + integer("axis", 1)),
              "    y = Softmax(x) {axis = 1}: f32[2, 3, 4]"));
    const std::string flattened = rewritten(11, "op_type: \"Softmax\"");
    CHECK(has(flattened, "y.flat = Flatten(x): f32[2, 12]"));
    CHECK(has(flattened, "y.softmax = Softmax(y.flat): f32[2, 12]"));
    CHECK(has(flattened, "y = Reshape(y.softmax, y.shape) {allowzero = 1}: f32[2, 3, 4]"));
    const auto of = [](std::initializer_list<std::string_view> sizes) {
        return statements(imported(model(9, input("x", 1, sizes) +
                                                "node { op_type: \"Softmax\" input: \"x\" output: \"y\" } " +
                                                output("y"))));
    };
    CHECK(has(of({"N", "1000", "1", "1"}), "    y = Softmax(x) {axis = -3}: f32[N, 1000, 1, 1]"));
    CHECK(has(of({"N", "1000"}), "    y = Softmax(x): f32[N, 1000]"));
    CHECK(has(of({"N", "1", "C"}), "    y = Softmax(x): f32[N, 1, C]"));
    CHECK(has(of({"N", "C", "T"}), "y = Reshape(y.softmax, y.shape)"));
}

TEST_CASE("onnx: Upsample and the first Resize become Resize") {
    const std::string scales = "attribute { name: \"scales\" type: FLOATS floats: 1 floats: 2 floats: 2 } ";
    const std::string simple = "coordinate_transformation_mode = \"asymmetric\"";
    const std::string upsample = rewritten(7, "op_type: \"Upsample\"" + scales);
    CHECK(
        has(upsample, "y = Resize(x, _, y.scales) {" + simple + ", nearest_mode = \"floor\"}: f32[2, 6, 8]"));
    const auto resized = [&](std::string_view op, int opset, std::string_view values, std::string_view mode) {
        return model(
            opset,
            input("x", 1, {"2", "4"}) +
                fmt::format("initializer {{ name: \"s\" data_type: 1 dims: 2 {} }} node {{ op_type: \"{}\" "
                            "input: \"x\" input: \"s\" output: \"y\" {} }} ",
                            values, op, text("mode", mode)) +
                output("y"));
    };
    CHECK(
        has(statements(imported(resized("Upsample", 9, "float_data: 1 float_data: 2", "linear"))),
            "y = Resize(x, _, s) {" + simple + ", mode = \"linear\", nearest_mode = \"floor\"}: f32[2, 8]"));
    CHECK(has(statements(imported(resized("Resize", 10, "float_data: 1 float_data: 0.5", "nearest"))),
              "nearest_mode = \"ceil\"}: f32[2, 2]"));
    CHECK(has(error_of(resized("Resize", 10, "float_data: 2 float_data: 0.5", "nearest")),
              "It shrinks one axis and stretches another"));
}

TEST_CASE("onnx: empty inputs of Resize stand for none") {
    const std::string graph =
        "initializer { name: \"none\" data_type: 1 dims: 0 } "
        "initializer { name: \"sizes\" data_type: 7 dims: 1 int64_data: 8 } "
        "node { op_type: \"Resize\" input: \"x\" input: \"none\" input: \"none\" input: \"sizes\" output: "
        "\"y\" } ";
    CHECK(has(statements(imported(model(11, input("x", 1, {"4"}) + graph + output("y")))),
              "y = Resize(x, _, _, sizes): f32[8]"));
}

TEST_CASE("onnx: BatchNormalization is inference alone") {
    const auto of = [](int opset, std::string_view more, std::string_view out) {
        return model(opset, input("x", 1, {"2", "3"}) + input("s", 1, {"3"}) +
                                "node { op_type: \"BatchNormalization\" input: \"x\" input: \"s\" input: "
                                "\"s\" input: \"s\" input: \"s\" "
                                "output: \"y\" output: \"m\" output: \"v\" " +
                                std::string(more) + "} " + output(out));
    };
    CHECK(has(statements(imported(of(7, integer("spatial", 1), "y"))),
              "    y = BatchNormalization(x, s, s, s, s): f32[2, 3]"));
    CHECK(has(statements(imported(of(14, integer("training_mode", 0), "y"))), "    y = BatchNormalization("));
    CHECK(has(error_of(of(7, integer("spatial", 0), "y")),
              "Its attribute spatial is 0, and only 1 is supported here."));
    CHECK(has(error_of(of(14, integer("training_mode", 1), "y")),
              "Its attribute training_mode is 1, and only 0"));
    CHECK(has(error_of(of(9, "", "m")), "Its outputs of training are read, and training isn't supported."));
}

TEST_CASE("onnx: Dropout's ratio is an input, its mask a bool") {
    const std::string ratio = number("ratio", 0.25);
    CHECK(has(rewritten(10, "op_type: \"Dropout\" output: \"mask\"" + ratio),
              "constant y.ratio: f32[] = [0.25]\n    y = Dropout(x, y.ratio): f32[2, 3, 4]"));
    const std::string read =
        "node { op_type: \"Dropout\" input: \"x\" output: \"y\" output: \"mask\"" + ratio + "} ";
    CHECK(has(
        statements(imported(model(7, input("x", 1, {"2"}) + read + output("y") + output("mask")))),
        "y, mask.bool = Dropout(x, y.ratio): f32[2], bool[2]\n    mask = Cast(mask.bool) {to = 1}: f32[2]"));
    CHECK(has(statements(imported(model(10, input("x", 1, {"2"}) + read + output("y") + output("mask")))),
              "y, mask = Dropout(x, y.ratio): f32[2], bool[2]"));
}

TEST_CASE("onnx: attributes that concern other types are left out, others refused") {
    CHECK(has(rewritten(24, "op_type: \"Cast\"" + integer("to", 7) + text("round_mode", "up")),
              "    y = Cast(x) {to = 7}: i64"));
    CHECK(
        has(error_of(model(13, input("x", 1, {"2"}) + "node { op_type: \"Cast\" input: \"x\" output: \"y\"" +
                                   integer("to", 11) + "} " + output("y"))),
            "type 11"));
}

TEST_CASE("onnx: some operators are made of others") {
    const auto two = [](std::string_view op, int type) {
        return statements(imported(model(
            24, input("x", 1, {"N", "3"}) + input("z", type, {"N", "3"}) +
                    fmt::format("node {{ op_type: \"{}\" input: \"x\" input: \"z\" output: \"y\" }} ", op) +
                    output("y"))));
    };
    CHECK(has(two("CastLike", 10), "    y = Cast(x) {to = 10}: f16[N, 3]"));
    CHECK(
        has(two("Mean", 1),
            "y.sum = Sum(x, z): f32[N, 3]\n    constant y.count: f32[] = [2]\n    y = Div(y.sum, y.count)"));
    const std::string flags =
        statements(imported(model(7, input("x", 9, {"2"}) +
                                         "node { op_type: \"Xor\" input: \"x\" input: \"x\" "
                                         "output: \"y\" } " +
                                         output("y"))));
    CHECK(has(flags, "y.equal = Equal(x, x): bool[2]\n    y = Not(y.equal): bool[2]"));
    CHECK(has(rewritten(13, "op_type: \"Size\""), "    y = Squeeze(y.shape): i64[]"));
    CHECK(has(rewritten(13, "op_type: \"Softsign\""), "    y = Div(x, y.sum): f32[2, 3, 4]"));
    CHECK(has(rewritten(24, "op_type: \"Swish\"" + number("alpha", 2)),
              "constant y.alpha: f32[] = [2]\n    y.scaled = Mul(y.alpha, x)"));
    CHECK(has(rewritten(18, "op_type: \"Mish\""), "    y = Mul(x, y.tanh): f32[2, 3, 4]"));
    CHECK(has(rewritten(13, "op_type: \"ReduceL1\"" + ints("axes", {1})),
              "    y = ReduceSum(y.elements, y.axes): f32[2, 1, 4]"));
    CHECK(has(rewritten(18, "op_type: \"ReduceSumSquare\""),
              "y.elements = Mul(x, x): f32[2, 3, 4]\n    y = ReduceSum(y.elements): f32[1, 1, 1]"));
    CHECK(has(rewritten(13, "op_type: \"ReduceLogSum\"" + integer("keepdims", 0)),
              "y.sum = ReduceSum(x) {keepdims = 0}: f32[]\n    y = Log(y.sum): f32[]"));
    CHECK(has(rewritten(13, "op_type: \"LogSoftmax\"" + integer("axis", 1)),
              "constant y.axes: i64[1] = [1]\n    y.max = ReduceMax(x, y.axes): f32[2, 1, 4]"));
    const auto old =
        model(11, input("x", 1, {"2", "3", "4"}) +
                      "node { op_type: \"LogSoftmax\" input: \"x\" output: \"y\" } " + output("y"));
    CHECK(has(error_of(old), "Its axis is 1 of 3; before opset 13, only the last one is supported."));
    CHECK(has(error_of(model(13, "node { op_type: \"Size\" output: \"y\" } " + output("y"))),
              "(Size) has no first input, or no output."));
}
