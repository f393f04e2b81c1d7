#include <doctest/doctest.h>

#include "graph/graph_text.hpp"

namespace muster::graph {

TEST_CASE("Element-wise operators broadcast, with symbols") {
    CHECK(type_of_y("input a: f32[N, 1, 4]\ninput b: f32[3, 1]\ny = Add(a, b)") == "f32[N, 3, 4]");
    CHECK(type_of_y("input a: f32[N]\ninput b: f32[4]\ny = Mul(a, b)") == "f32[4]");
    CHECK(type_of_y("input a: f32[N]\ninput b: f32[M]\ny = Mul(a, b)") == "f32[?]");
    CHECK(type_of_y("input a: f32[N]\ninput b: f32[N]\ninput c: f32[]\ny = Max(a, b, c)") == "f32[N]");
    CHECK(type_of_y("input a: f32[2]\ninput b: f32[2, 1]\ny = Less(a, b)") == "bool[2, 2]");
    CHECK(type_of_y("input a: f32[2]\ny = Cast(a) {to = 7}") == "i64[2]");
    CHECK(has(error_of("input a: f32[2]\ninput b: f32[3]\ny = Add(a, b)"),
              "The shapes [2] and [3] can't be broadcast: sizes 2 and 3 differ, and neither is 1."));
    CHECK(has(error_of("input a: f32[2]\ny = Cast(a) {to = 8}"),
              "It casts to ONNX's type 8, which no tensor here has."));
    CHECK(has(error_of("input a: f32[2]\ninput b: f32[2, 2]\ny = PRelu(a, b)"),
              "can't be broadcast to the shape [2] of X."));
}

TEST_CASE("Products sum over sizes that agree") {
    CHECK(type_of_y("input a: f32[N, 2, 3]\ninput b: f32[3, 5]\ny = MatMul(a, b)") == "f32[N, 2, 5]");
    CHECK(type_of_y("input a: f32[3]\ninput b: f32[7, 3, 5]\ny = MatMul(a, b)") == "f32[7, 5]");
    CHECK(type_of_y("input a: f32[3]\ninput b: f32[3]\ny = MatMul(a, b)") == "f32[]");
    CHECK(type_of_y("input a: f32[3, N]\ninput b: f32[5, 3]\ninput c: f32[5]\ny = Gemm(a, b, c) {transA = 1, "
                    "transB = 1}") == "f32[N, 5]");
    CHECK(type_of_y("input a: u8[4, 3]\ninput b: i8[3, 2]\ny = MatMulInteger(a, b)") == "i32[4, 2]");
    CHECK(has(error_of("input a: f32[3, 4]\ninput b: f32[4, 5]\ninput c: f32[2, 3, 5]\ny = Gemm(a, b, c)"),
              "can't be broadcast to [3, 5]."));
}

TEST_CASE("Convolutions and pools follow strides, dilations and padding") {
    const std::string x = "input x: f32[N, 6, 8, 9]\ninput w: f32[4, 3, 3, 3]\n";
    CHECK(type_of_y(x + "y = Conv(x, w) {group = 2}") == "f32[N, 4, 6, 7]");
    CHECK(type_of_y(x + "y = Conv(x, w) {group = 2, strides = [2, 2], pads = [1, 1, 1, 1]}") ==
          "f32[N, 4, 4, 5]");
    CHECK(type_of_y(x + "y = Conv(x, w) {group = 2, dilations = [2, 3]}") == "f32[N, 4, 4, 3]");
    CHECK(type_of_y(x + "y = Conv(x, w) {group = 2, auto_pad = \"SAME_LOWER\", strides = [3, 2]}") ==
          "f32[N, 4, 3, 5]");
    CHECK(type_of_y(
              "input x: f32[1, 2, H, W]\ninput w: f32[2, 2, 3, 3]\ny = Conv(x, w) {pads = [1, 0, 1, 0]}") ==
          "f32[1, 2, H, ?]");
    CHECK(
        type_of_y(
            "input x: f32[1, 2, 3, 3]\ninput w: f32[2, 5, 3, 3]\ny = ConvTranspose(x, w) {strides = [3, 2], "
            "output_padding = [1, 1]}") == "f32[1, 5, 10, 8]");
    CHECK(type_of_y("input x: f32[1, 1, 4, 4]\ny = MaxPool(x) {kernel_shape = [3, 3], strides = [2, 2], "
                    "ceil_mode = 1}") == "f32[1, 1, 2, 2]");
    CHECK(type_of_y("input x: f32[1, 1, 2, 2]\ny = MaxPool(x) {kernel_shape = [1, 1], strides = [2, 2], "
                    "ceil_mode = 1}") == "f32[1, 1, 1, 1]");
    CHECK(has(error_of("input x: f32[1, 4, 8, 8]\ninput w: f32[4, 3, 3, 3]\ny = Conv(x, w)"),
              "Input \"x\" (X) is f32[1, 4, 8, 8], and its 4 channels aren't the 3 that weights [4, 3, 3, 3] "
              "in 1 groups take."));
    CHECK(has(error_of("input x: f32[1, 3, 2, 2]\ninput w: f32[4, 3, 3, 3]\ny = Conv(x, w)"),
              "Its kernel extends over 3 elements, and the input has 2 with its padding of 0."));
    CHECK(has(error_of(x + "y = Conv(x, w) {group = 2, strides = [0, 1]}"),
              "Its attribute strides has 0, which isn't from 1"));
    CHECK(has(error_of(x + "y = Conv(x, w) {group = 2, pads = [1]}"),
              "Its attribute pads has 1 numbers, and needs 4."));
    CHECK(has(error_of(x + "y = Conv(x, w) {group = 2, auto_pad = \"SAME\"}"),
              "Its attribute auto_pad is \"SAME\"."));
}

TEST_CASE("Shapes that depend on constants") {
    CHECK(type_of_y("input x: f32[2, 6]\nconstant s: i64[3] = [3, -1, 2]\ny = Reshape(x, s)") ==
          "f32[3, 2, 2]");
    CHECK(type_of_y("input x: f32[N, 6]\nconstant s: i64[3] = [0, 2, -1]\ny = Reshape(x, s)") ==
          "f32[N, 2, 3]");
    CHECK(type_of_y("input x: f32[N, T, 6]\nconstant s: i64[2] = [-1, 6]\ny = Reshape(x, s)") ==
          "f32[N*T, 6]");
    CHECK(type_of_y("input x: f32[?, 6]\nconstant s: i64[3] = [0, 2, -1]\ny = Reshape(x, s)") ==
          "f32[?, 2, 3]");
    CHECK(type_of_y("input x: f32[2, 6]\ninput s: i64[3]\ny = Reshape(x, s)") == "f32[?, ?, ?]");
    CHECK(type_of_y("input x: f32[9, N]\nconstant s: i64[2] = [-4, 0]\nconstant e: i64[2] = [9999999999, "
                    "9999999999]\ny = Slice(x, s, e)") == "f32[4, N]");
    CHECK(type_of_y("input x: f32[9]\nconstant s: i64[1] = [-1]\nconstant e: i64[1] = [-100]\nconstant a: "
                    "i64[1] = [0]\n"
                    "constant t: i64[1] = [-2]\ny = Slice(x, s, e, a, t)") == "f32[5]");
    CHECK(type_of_y("input x: f32[3, 1]\nconstant s: i64[3] = [2, 1, 6]\ny = Expand(x, s)") ==
          "f32[2, 3, 6]");
    CHECK(type_of_y("input x: f32[N, 3]\nconstant s: i64[2] = [2, 4]\ny = Tile(x, s)") == "f32[2*N, 12]");
    CHECK(type_of_y("input x: f32[N, 3]\nconstant s: i64[4] = [0, 1, 0, 2]\ny = Pad(x, s)") == "f32[N, 6]");
    CHECK(type_of_y("constant a: i64[] = [10]\nconstant b: i64[] = [4]\nconstant c: i64[] = [-2]\ny = "
                    "Range(a, b, c)") == "i64[3]");
    CHECK(type_of_y("constant s: i64[2] = [4, 3]\ny = ConstantOfShape(s) {value = bool[1] = [1]}") ==
          "bool[4, 3]");
    CHECK(type_of_y("input x: f32[N, 9]\nconstant k: i64[1] = [3]\ny, i = TopK(x, k)") == "f32[N, 3]");
    CHECK(type_of_y("input x: f32[7, N]\ny, z = Split(x) {num_outputs = 2}") == "f32[4, N]");
    CHECK(type_of_y("input x: f32[7, N]\nconstant s: i64[2] = [1, 6]\nz, y = Split(x, s)") == "f32[6, N]");
    CHECK(type_of_y(
              "input i: i64[N]\nconstant d: i64[] = [5]\ninput v: f32[2]\ny = OneHot(i, d, v) {axis = 0}") ==
          "f32[5, N]");
    CHECK(type_of_y(
              "input x: f32[2, N, 4]\nconstant a: i64[2] = [0, -1]\ny = ReduceSum(x, a) {keepdims = 0}") ==
          "f32[N]");
    CHECK(type_of_y("input x: f32[1, N, 1]\nconstant a: i64[1] = [0]\ny = Squeeze(x, a)") == "f32[N, 1]");
}

TEST_CASE("Constants that don't fit are told") {
    CHECK(has(error_of("input x: f32[2, 6]\nconstant s: i64[2] = [5, -1]\ny = Reshape(x, s)"),
              "Input \"x\" (data) is f32[2, 6], and its 12 elements can't be shaped as [5, -1]."));
    CHECK(has(error_of("input x: f32[2, 6]\nconstant s: i64[2] = [5, 2]\ny = Reshape(x, s)"),
              "can't be shaped as [5, 2]."));
    CHECK(has(error_of("input x: f32[2, 6]\nconstant s: i64[2] = [-1, -1]\ny = Reshape(x, s)"),
              "and has -1 twice"));
    CHECK(has(
        error_of(
            "input x: f32[2]\nconstant s: i64[1] = [0]\nconstant a: i64[1] = [0]\ny = Slice(x, s, s, a, a)"),
        "Its step is 0."));
    CHECK(has(error_of("input x: f32[2, 1]\nconstant a: i64[1] = [0]\ny = Squeeze(x, a)"),
              "its size on axis 0 isn't 1."));
    CHECK(has(error_of("input x: f32[2, 1]\nconstant a: i64[1] = [2]\ny = Squeeze(x, a)"),
              "The axis 2 isn't one of a tensor of rank 2."));
    CHECK(
        has(error_of("input x: f32[2, 1]\ninput a: i64[1]\ny = Squeeze(x, a)"), "its contents aren't known"));
    CHECK(has(error_of("input x: f32[7]\nconstant s: i64[2] = [1, 5]\nz, y = Split(x, s)"),
              "It splits off 6 elements together, and axis 0 has 7."));
    CHECK(has(error_of("input x: f32[9]\nconstant k: i64[1] = [10]\ny, i = TopK(x, k)"),
              "K is 10, and axis 0 has 9 elements."));
    CHECK(has(error_of("constant s: i64[3] = [1000000, 1000000, 1000000]\ny = ConstantOfShape(s)"),
              "more than"));
    CHECK(has(error_of("constant a: i64[] = [0]\ny = Range(a, a, a)"),
              "A range from 0 to 0 by 0 has no number of elements."));
}

TEST_CASE("Contents of shapes are followed through what computes them") {
    const std::string shape_of_x =
        "input x: f32[N, 3, 4]\ns = Shape(x)\nconstant zero: i64[] = [0]\n"
        "constant first: i64[1] = [0]\nn = Gather(s, zero)\nn1 = Unsqueeze(n, first)\n";
    CHECK(type_of_y(shape_of_x +
                    "constant rest: i64[1] = [12]\nt = Concat(n1, rest) {axis = 0}\ny = Reshape(x, t)") ==
          "f32[N, 12]");
    CHECK(type_of_y(shape_of_x +
                    "constant rest: i64[1] = [-1]\nt = Concat(n1, rest) {axis = 0}\ny = Reshape(x, t)") ==
          "f32[N, 12]");
    CHECK(type_of_y(shape_of_x +
                    "constant two: i64[] = [2]\nm = Mul(n, two)\nd = Div(m, two)\nk = Unsqueeze(d, first)\n"
                    "y = ConstantOfShape(k)") == "f32[N]");
    CHECK(type_of_y(shape_of_x + "constant b: i64[1] = [1]\nconstant e: i64[1] = [3]\nt = Slice(s, b, e)\ny "
                                 "= ConstantOfShape(t)") == "f32[3, 4]");
    CHECK(type_of_y(shape_of_x + "constant one: i64[] = [1]\ny = Range(zero, n, one)") == "i64[N]");
    CHECK(type_of_y("input x: f32[N, 3]\ny0 = Shape(x) {start = -1}\ny = ConstantOfShape(y0)") == "f32[3]");
    // Pads as exporters compute them: pairs of each axis, the last axis first.
    CHECK(
        type_of_y("input x: f32[3, 8]\nconstant p: i64[4] = [1, 2, 0, 0]\nconstant pairs: i64[2] = [-1, 2]\n"
                  "constant m: i64[1] = [-1]\nconstant z: i64[1] = [0]\nconstant e: i64[1] = "
                  "[-9223372036854775807]\n"
                  "a = Reshape(p, pairs)\nb = Slice(a, m, e, z, m)\nc = Transpose(b)\nd = Reshape(c, m)\ny = "
                  "Pad(x, d)") == "f32[3, 11]");
    CHECK(
        type_of_y(
            "constant q: i64[2, 3] = [1, 2, 3, 4, 5, 6]\nconstant s: i64[1] = [1]\nconstant e: i64[1] = [3]\n"
            "constant m: i64[1] = [-1]\na = Slice(q, s, e, s)\nb = Reshape(a, m)\ny = ConstantOfShape(b)") ==
        "f32[2, 3, 5, 6]");
    // What exporters write for Expand: -1 replaced by the size.
    CHECK(type_of_y("input x: f32[N, 1]\nconstant want: i64[2] = [-1, 5]\nconstant two: i64[1] = [2]\n"
                    "ones = ConstantOfShape(two) {value = i64[1] = [1]}\nconstant m: i64[] = [-1]\nnegative "
                    "= Mul(ones, m)\n"
                    "is = Equal(want, negative)\nsize = Where(is, ones, want)\ny = Expand(x, size)") ==
          "f32[N, 5]");
}

TEST_CASE("Layouts") {
    CHECK(type_of_y("input x: f32[N, 2, 3]\ny = Transpose(x) {perm = [2, 0, 1]}") == "f32[3, N, 2]");
    CHECK(type_of_y("input x: f32[N, 2, 3]\ny = Transpose(x)") == "f32[3, 2, N]");
    CHECK(type_of_y("input x: f32[N, 2, 3]\ny = Flatten(x) {axis = 2}") == "f32[2*N, 3]");
    CHECK(type_of_y("input x: f32[N, 8, 2, W]\ny = DepthToSpace(x) {blocksize = 2}") == "f32[N, 2, 4, 2*W]");
    CHECK(type_of_y("input x: f32[3, 4]\ninput i: i64[2, N]\ny = Gather(x, i) {axis = 1}") == "f32[3, 2, N]");
    CHECK(type_of_y("input x: f32[3, 4, 5]\ninput i: i64[7, 2]\ny = GatherND(x, i)") == "f32[7, 5]");
    CHECK(type_of_y("input x: f32[A, 4]\ninput z: f32[B, 4]\ny = Concat(x, z) {axis = 0}") == "f32[?, 4]");
    CHECK(has(error_of("input x: f32[3, 4]\ninput z: f32[3, 5]\ny = Concat(x, z) {axis = 0}"),
              "differs from [3, 4] on axis 1"));
    CHECK(
        has(error_of("input x: f32[3, 4]\ny = Transpose(x) {perm = [0, 0]}"), "The axis 0 is given twice."));
}

TEST_CASE("Contents go through Split and Neg") {
    const std::string x = "input x: f32[N, 3, 4]\ns = Shape(x)\n";
    CHECK(type_of_y(x + "constant n: i64[2] = [1, 2]\na, b = Split(s, n)\ny = ConstantOfShape(b)") ==
          "f32[3, 4]");
    CHECK(type_of_y(x + "constant n: i64[2] = [1, 2]\na, b = Split(s, n)\ny = ConstantOfShape(a)") ==
          "f32[N]");
    CHECK(type_of_y(x + "t = Neg(s)\nu = Neg(t)\ny = ConstantOfShape(u)") == "f32[N, 3, 4]");
}

TEST_CASE("Resize scales sizes that are known") {
    const std::string x = "input x: f32[N, 3, 5, H]\n";
    CHECK(type_of_y(x + "constant s: f32[4] = [1, 1, 1.5, 2]\ny = Resize(x, _, s)") == "f32[N, 3, 7, 2*H]");
    CHECK(type_of_y(x + "constant s: i64[2] = [9, 4]\ny = Resize(x, _, _, s) {axes = [2, 3]}") ==
          "f32[N, 3, 9, 4]");
    CHECK(type_of_y(x + "input s: i64[4]\ny = Resize(x, _, _, s)") == "f32[?, ?, ?, ?]");
    CHECK(has(error_of(x + "constant s: f32[4] = [1, 1, 0, 2]\ny = Resize(x, _, s)"),
              "It scales an axis by 0."));
    CHECK(has(error_of(x + "y = Resize(x)"), "It needs either scales or sizes."));
    CHECK(has(error_of(x + "constant s: i64[1] = [9]\ny = Resize(x, _, _, s)"),
              "must have 4 elements, one for each axis."));
    CHECK(has(error_of(x + "constant s: i64[1] = [9]\ny = Resize(x, _, _, s) {axes = [2], mode = \"area\"}"),
              "Its attribute mode is \"area\"."));
}

TEST_CASE("Resize keeps the aspect ratio where it is asked to") {
    const auto of = [](std::string_view x, std::string_view policy) {
        return type_of_y("input x: " + std::string(x) +
                         "\nconstant s: i64[2] = [7, 8]\ny = Resize(x, _, _, s) {axes = [0, 1], "
                         "keep_aspect_ratio_policy = \"" +
                         std::string(policy) + "\"}");
    };
    CHECK(of("f32[2, 4]", "stretch") == "f32[7, 8]");
    CHECK(of("f32[2, 4]", "not_larger") == "f32[4, 8]");
    CHECK(of("f32[2, 4]", "not_smaller") == "f32[7, 14]");
    CHECK(of("f32[3, 5]", "not_larger") == "f32[5, 8]");  // 4.8 and 8
    CHECK(of("f32[N, 5]", "not_larger") == "f32[?, ?]");
    const std::string zero =
        "input x: f32[0, 5]\nconstant s: i64[2] = [7, 8]\ny = Resize(x, _, _, s) {keep_aspect_ratio_policy "
        "= ";
    CHECK(has(error_of(zero + "\"not_larger\"}"), "It resizes an axis of 0 elements to the size 7."));
    CHECK(has(error_of(zero + "\"fit\"}"), "Its attribute keep_aspect_ratio_policy is \"fit\"."));
    const std::string huge =
        "input x: f32[1, 1099511627776]\nconstant s: i64[2] = [4611686018427387904, 1]\n";
    CHECK(has(error_of(huge + "y = Resize(x, _, _, s) {keep_aspect_ratio_policy = \"not_smaller\"}"),
              "has more than"));
    CHECK(has(error_of("input x: f32[4]\nconstant s: f32[1] = [0.5]\ny = Resize(x, _, s) {antialias = 1}"),
              "Its attribute antialias is 1, and the nearest element has no antialiasing."));
}

TEST_CASE("Quantised types") {
    const std::string x = "input x: f32[N, 4]\ninput s: f32[4]\n";
    CHECK(type_of_y(x + "y = QuantizeLinear(x, s)") == "u8[N, 4]");
    CHECK(type_of_y(x + "input z: i8[4]\ny = QuantizeLinear(x, s, z)") == "i8[N, 4]");
    CHECK(type_of_y(x + "y = QuantizeLinear(x, s) {output_dtype = 3}") == "i8[N, 4]");
    CHECK(type_of_y("input x: i8[N, 4]\ninput s: f16[]\ny = DequantizeLinear(x, s)") == "f16[N, 4]");
    CHECK(type_of_y("input x: f32[N, 4]\ny, s, z = DynamicQuantizeLinear(x)") == "u8[N, 4]");
    CHECK(has(error_of(x + "y = QuantizeLinear(x, s) {axis = 0, block_size = 2}"),
              "blocked quantisation isn't supported"));
    CHECK(has(error_of("input x: f32[3, 5]\ninput s: f32[4]\ny = QuantizeLinear(x, s)"),
              "must have an element for each index of axis 1 of [3, 5]."));
}

}  // namespace muster::graph
