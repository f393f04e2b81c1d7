#include <algorithm>
#include <set>

#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/rewrite/rewrite.hpp>

#include "graph/pattern_cases.hpp"

namespace muster::graph {
namespace {

constexpr double bound =
    2e-5;  // of outputs' differences, relative to the largest output, where bits change in f32
constexpr double bound_f16 = 4e-3;

// clang-format off
const std::vector<PatternCase> cases{
    {"dead code removed", "input x: f32[2]\na = Neg(x)\nb = Exp(a)\ny = Abs(x)\noutput y",
                          "input x: f32[2]\na = Neg(x)\ny = Abs(a)\noutput y"},
    {"constants folded", "input x: f32[2, 3]\nweight w: f32[3, 2]\nt = Transpose(w)\ny = Add(x, t)\noutput y",
                         "input x: f32[2, 3]\nweight w: f32[2, 3]\ny = Add(x, w)\noutput y"},
    {"Identity removed", "input x: f32[2]\na = Abs(x)\nb = Identity(a)\ny = Exp(b)\noutput y", "input x: f32[2]\ny = Identity(x)\noutput y"},
    {"Dropout removed", "input x: f32[2]\nconstant r: f32[] = [0.5]\na = Dropout(x, r) {seed = 3}\ny = Abs(a)\noutput y",
                        "input x: f32[2]\na, m = Dropout(x)\ny = Abs(a)\noutput y\noutput m"},
    {"move of nothing removed", "input x: f32[2, 3]\nconstant s: i64[2] = [1, 3]\na = Expand(x, s)\ny = Abs(a)\noutput y",
                                "input x: f32[1, 3]\nconstant s: i64[2] = [2, 3]\na = Expand(x, s)\ny = Abs(a)\noutput y"},
    {"move of nothing removed",
     "input x: f32[2, 3]\nconstant s: i64[1] = [0]\nconstant e: i64[1] = [3]\nconstant a: i64[1] = [1]\nb = Slice(x, s, e, a)\ny = Abs(b)\noutput y",
     "input x: f32[2, 3]\nconstant s: i64[1] = [-1]\nconstant e: i64[1] = [-9]\nconstant a: i64[1] = [1]\nb = Slice(x, s, e, a, s)\ny = Abs(b)\noutput y"},
    {"operator of one input removed", "input x: f32[2]\na = Max(x)\nb = Concat(a) {axis = 0}\ny = Abs(b)\noutput y",
                                      "input x: f32[2]\na = Max(x, x)\ny = Abs(a)\noutput y"},
    {"Sum of two to Add", "input x: f32[2]\ninput z: f32[2]\ny = Sum(x, z)\noutput y", "input x: f32[2]\ninput z: f32[2]\ny = Sum(x, z, x)\noutput y"},
    {"Cast to the same type removed", "input x: f32[2]\na = Cast(x) {to = 1}\ny = Abs(a)\noutput y", "input x: f32[2]\na = Cast(x) {to = 10}\ny = Abs(a)\noutput y"},
    {"Cast of Cast joined", "input x: f16[4]\na = Cast(x) {to = 1}\ny = Cast(a) {to = 7}\noutput y", "input x: f32[4]\na = Cast(x) {to = 10}\ny = Cast(a) {to = 1}\noutput y"},
    {"Cast of Cast joined", "input x: i8[4]\na = Cast(x) {to = 7}\ny = Cast(a) {to = 2}\noutput y", "input x: i64[4]\na = Cast(x) {to = 3}\ny = Cast(a) {to = 7}\noutput y"},
    {"multiplication by 1 removed", "input x: f32[4]\nconstant one: f32[] = [1]\na = Mul(one, x)\nb = Div(a, one)\ny = Abs(b)\noutput y",
                                    "input x: f32[4]\nconstant one: f32[] = [1]\na = Div(one, x)\ny = Abs(a)\noutput y"},
    {"addition of 0 removed", "input x: f32[4]\nconstant zero: f32[1] = [0]\na = Add(x, zero)\nb = Sub(a, zero)\ny = Exp(b)\noutput y",
                              "input x: f32[4]\nconstant zero: f32[1] = [0]\na = Sub(zero, x)\ny = Exp(a)\noutput y"},
    {"Relu of Relu joined", "input x: f32[4]\na = Relu(x)\ny = Relu(a)\noutput y", "input x: f32[4]\na = Relu(x)\ny = Relu(a)\noutput y\noutput a"},
    {"Abs of Neg joined", "input x: f32[4]\na = Neg(x)\ny = Abs(a)\noutput y", "input x: f32[4]\na = Abs(x)\ny = Neg(a)\noutput y"},
    {"Neg of Neg removed", "input x: f32[4]\na = Neg(x)\nb = Neg(a)\ny = Exp(b)\noutput y", "input x: f32[4]\na = Neg(x)\ny = Exp(a)\noutput y"},
    {"Not of Not removed", "input x: bool[4]\na = Not(x)\nb = Not(a)\ny = And(b, x)\noutput y", "input x: bool[4]\na = Not(x)\ny = And(a, x)\noutput y"},

    {"constants folded", "input x: f32[2, 3]\nconstant q: i8[3] = [1, 2, -3]\nconstant s: f32[] = [0.5]\nd = DequantizeLinear(q, s)\ny = Add(x, d)\noutput y",
                         "input x: f32[2, 3]\nconstant q: i8[3, 1] = [1, 2, -3]\nconstant s: f32[] = [0.5]\nd = DequantizeLinear(q, s)\ny = MatMul(x, d)\noutput y"},
    {"constants folded", "input x: f32[2, 3]\nweight w: f32[3, 2]\nconstant q: i32[2] = [10, -3]\nconstant s: f32[] = [0.5]\nd = DequantizeLinear(q, s)\ny = Gemm(x, w, d)\noutput y",
                         "input x: f32[2, 3]\nconstant q: i8[1, 3] = [1, 2, -3]\nconstant s: f32[] = [0.5]\nd = DequantizeLinear(q, s)\nt = Transpose(d)\ny = Gemm(x, t)\noutput y"},
    {"DequantizeLinear for each product",
     "input x: f32[4, 8]\nconstant s: f32[] = [0.1]\nq = QuantizeLinear(x, s)\nd = DequantizeLinear(q, s)\nweight w: f32[8, 3]\na = MatMul(d, w)\nb = Gemm(d, w)\ny = Add(a, b)\noutput y",
     "input x: f32[4, 8]\nconstant s: f32[] = [0.1]\nq = QuantizeLinear(x, s)\nd = DequantizeLinear(q, s)\nweight w: f32[8, 3]\ny = MatMul(d, w)\noutput y"},

    {"Transpose of Transpose joined",
     "input x: f32[2, 3, 4]\na = Transpose(x) {perm = [2, 0, 1]}\nb = Transpose(a) {perm = [1, 0, 2]}\ny = Abs(b)\noutput y",
     "input x: f32[2, 3, 4]\na = Transpose(x) {perm = [2, 0, 1]}\nb = Abs(a)\ny = Transpose(b) {perm = [1, 0, 2]}\noutput y"},
    {"Transpose of Transpose joined", "input x: f32[2, N]\na = Transpose(x)\nb = Transpose(a)\ny = Abs(b)\noutput y\nc = Neg(a)\noutput c",
                                      "input x: f32[2, N]\na = Transpose(x)\ny = Abs(a)\noutput y"},
    {"Transpose to Reshape", "input x: f32[N, 1, 4, 3]\ny = Transpose(x) {perm = [0, 2, 1, 3]}\noutput y",
                             "input x: f32[N, 2, 4, 3]\ny = Transpose(x) {perm = [0, 2, 1, 3]}\noutput y"},
    {"Transpose to Reshape", "input x: f32[N, 1, 3]\ny = Transpose(x) {perm = [0, 2, 1]}\noutput y", "input x: f32[N, 1, M]\ny = Transpose(x) {perm = [0, 2, 1]}\noutput y"},
    {"Reshape of Reshape joined", "input x: f32[N, 3, 1, 1]\nconstant a: i64[1] = [0]\nf = Flatten(x)\ny = Unsqueeze(f, a)\noutput y",
                                  "input x: f32[N, 3, 1, 1]\nconstant a: i64[1] = [0]\nf = Flatten(x)\ng = Abs(f)\ny = Unsqueeze(g, a)\noutput y"},
    {"Reshape of Reshape joined", "input x: f32[N, 3]\nconstant a: i64[1] = [0]\nu = Unsqueeze(x, a)\nb = Squeeze(u, a)\ny = Abs(b)\noutput y",
                                  "input x: f32[N, M, 3]\nconstant a: i64[1] = [0]\nu = Unsqueeze(x, a)\ny = Unsqueeze(u, a)\noutput y"},
    {"Reshape of Reshape joined", "input x: f32[0, 3]\nconstant a: i64[1] = [0]\nu = Unsqueeze(x, a)\ny = Unsqueeze(u, a)\noutput y",
                                  "input x: f32[2, 3]\nconstant s: i64[1] = [6]\ny = Reshape(x, s)\noutput y"},
    {"Pad into Conv or AveragePool",
     "input x: f32[1, 2, 5, 5]\nweight w: f32[3, 2, 3, 3]\nconstant p: i64[8] = [0, 0, 1, 0, 0, 0, 2, 1]\na = Pad(x, p)\ny = Conv(a, w) {pads = [1, 1, 1, 1], strides = [2, 2]}\noutput y",
     "input x: f32[1, 2, 5, 5]\nweight w: f32[3, 2, 3, 3]\nconstant p: i64[8] = [0, 0, 1, 0, 0, 0, 2, 1]\na = Pad(x, p) {mode = \"edge\"}\ny = Conv(a, w)\noutput y"},
    {"Pad into Conv or AveragePool",
     "input x: f32[1, 2, 5]\nconstant p: i64[6] = [0, 0, 1, 0, 0, 1]\na = Pad(x, p)\ny = AveragePool(a) {kernel_shape = [3]}\noutput y",
     "input x: f32[1, 2, 5]\nconstant p: i64[6] = [0, 0, 1, 0, 0, 1]\na = Pad(x, p)\ny = AveragePool(a) {kernel_shape = [3], pads = [1, 1]}\noutput y"},
    {"Pad into Conv or AveragePool",
     "input x: f32[1, 1, 4]\nweight w: f32[1, 1, 2]\nconstant v: f32[] = [0]\nconstant p: i64[6] = [0, 0, 1, 0, 0, 1]\na = Pad(x, p, v)\ny = Conv(a, w)\noutput y",
     "input x: f32[1, 1, 4]\nconstant w: f32[1, 1, 2] = [1, inf]\nconstant p: i64[6] = [0, 0, 1, 0, 0, 1]\na = Pad(x, p)\ny = Conv(a, w)\noutput y"},

    {"batch normalization into Conv",
     "input x: f32[N, 4, 5, 5]\nweight w: f32[6, 2, 3, 3]\nweight b: f32[6]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = Conv(x, w, b) {group = 2, pads = [1, 1, 1, 1]} @ \"conv\"\ny = BatchNormalization(c, s, o, m, v) {epsilon = 0.01} @ \"bn\"\noutput y",
     "input x: f32[N, 4, 5, 5]\nweight w: f32[6, 4, 3, 3]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = Conv(x, w)\ny = BatchNormalization(c, s, o, m, v)\noutput y\noutput c"},
    {"batch normalization into Conv",
     "input x: f16[N, 4, 5]\nweight w: f16[6, 4, 3]\nweight s: f16[6]\nweight o: f16[6]\nweight m: f16[6]\npositive v: f16[6]\n"
     "c = Conv(x, w)\ny = BatchNormalization(c, s, o, m, v)\noutput y",
     "input x: f16[N, 4, 5]\nweight w: f16[6, 4, 3]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = Conv(x, w)\ny = BatchNormalization(c, s, o, m, v)\noutput y"},
    {"batch normalization into ConvTranspose",
     "input x: f32[N, 4, 3, 3]\nweight w: f32[4, 6, 2, 2]\nweight b: f32[6]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = ConvTranspose(x, w, b) {strides = [2, 2]}\ny = BatchNormalization(c, s, o, m, v)\noutput y",
     "input x: f32[N, 4, 3, 3]\nweight w: f32[4, 3, 2, 2]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = ConvTranspose(x, w) {group = 2}\ny = BatchNormalization(c, s, o, m, v)\noutput y"},
    {"batch normalization into Gemm",
     "input x: f32[N, 4]\nweight w: f32[4, 6]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = Gemm(x, w) {alpha = 0.5}\ny = BatchNormalization(c, s, o, m, v)\noutput y",
     "input x: f32[N, 4]\nweight w: f32[4, 6]\nweight b: f32[6]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = Gemm(x, w, b) {beta = 0.5}\ny = BatchNormalization(c, s, o, m, v)\noutput y"},
    {"batch normalization into Gemm, W transposed",
     "input x: f32[N, 4]\nweight w: f32[6, 4]\nweight b: f32[1, 6]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = Gemm(x, w, b) {transB = 1}\ny = BatchNormalization(c, s, o, m, v)\noutput y",
     "input x: f32[N, 4]\ninput w: f32[6, 4]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = Gemm(x, w) {transB = 1}\ny = BatchNormalization(c, s, o, m, v)\noutput y"},
    {"batch normalization into MatMul",
     "input x: f32[N, 4]\nweight w: f32[4, 6]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = MatMul(x, w)\ny = BatchNormalization(c, s, o, m, v)\noutput y",
     "input x: f32[2, 6, 4]\nweight w: f32[4, 6]\nweight s: f32[6]\nweight o: f32[6]\nweight m: f32[6]\npositive v: f32[6]\n"
     "c = MatMul(x, w)\ny = BatchNormalization(c, s, o, m, v)\noutput y"},
    {"batch normalization to product and sum",
     "input x: f32[N, 4, 5]\nweight s: f32[4]\nweight o: f32[4]\nweight m: f32[4]\npositive v: f32[4]\ny = BatchNormalization(x, s, o, m, v)\noutput y",
     "input x: f32[N, 4, 5]\ninput s: f32[4]\nweight o: f32[4]\nweight m: f32[4]\npositive v: f32[4]\ny = BatchNormalization(x, s, o, m, v)\noutput y"},
    {"factor into Conv",
     "input x: f32[N, 4, 5, 5]\nweight w: f32[6, 4, 3, 3]\nweight b: f32[6]\nweight k: f32[1, 6, 1, 1]\nc = Conv(x, w, b)\ny = Mul(k, c)\noutput y",
     "input x: f32[N, 4, 5, 5]\nweight w: f32[6, 4, 3, 3]\nweight k: f32[3, 1]\nc = Conv(x, w)\ny = Mul(c, k)\noutput y"},
    {"divisor into Conv", "input x: f32[N, 4, 5]\nweight w: f32[6, 4, 3]\npositive k: f32[]\nc = Conv(x, w)\ny = Div(c, k)\noutput y",
                          "input x: f32[N, 4, 5]\nweight w: f32[6, 4, 3]\npositive k: f32[]\nc = Conv(x, w)\ny = Div(k, c)\noutput y"},
    {"offset as bias of Conv", "input x: f32[N, 4, 5]\nweight w: f32[6, 4, 3]\nweight k: f32[6, 1]\nc = Conv(x, w)\ny = Add(c, k)\noutput y",
                               "input x: f32[2, 4, 5]\nweight w: f32[6, 4, 3]\nweight k: f32[2, 1, 1]\nc = Conv(x, w)\ny = Add(c, k)\noutput y"},
    {"offset into bias of Conv", "input x: f32[N, 4, 5]\nweight w: f32[6, 4, 3]\nweight b: f32[6]\nweight k: f32[1]\nc = Conv(x, w, b)\ny = Add(c, k)\noutput y",
                                 "input x: f32[N, 4, 5]\nweight w: f32[6, 4, 3]\nweight b: f32[6]\ninput k: f32[1]\nc = Conv(x, w, b)\ny = Add(c, k)\noutput y"},
    {"offset as C of Gemm", "input x: f32[N, 4]\nweight w: f32[4, 6]\nweight k: f32[6]\nc = Gemm(x, w)\ny = Add(c, k)\noutput y",
                            "input x: f32[N, 4]\nweight w: f32[4, 6]\nweight k: f32[6]\nc = Gemm(x, w) {alpha = 0.5}\ny = Add(c, k)\noutput y"},
    {"transposed A of Gemm", "input x: f32[4, 3]\ninput w: f32[4, 6]\nt = Transpose(x)\ny = Gemm(t, w)\noutput y",
                             "input x: f32[4, 3]\ninput w: f32[3, 6]\nt = Transpose(x)\ny = Gemm(t, w) {transA = 1}\noutput y"},
    {"transposed B of Gemm", "input x: f32[4, 3]\ninput w: f32[6, 3]\nt = Transpose(w) {perm = [1, 0]}\ny = Gemm(x, t)\noutput y",
                             "input x: f32[4, 3]\ninput w: f32[3, 6]\ny = Gemm(x, w)\noutput y"},

    {"Gelu", "input x: f32[N, 8]\nconstant r: f32[] = [1.4142135]\nconstant h: f32[] = [0.5]\nconstant o: f32[] = [1]\n"
             "a = Div(x, r)\nb = Erf(a)\nc = Add(b, o)\nd = Mul(x, c)\ny = Mul(d, h)\noutput y",
             "input x: f32[N, 8]\nconstant r: f32[] = [1.5]\nconstant h: f32[] = [0.5]\nconstant o: f32[] = [1]\n"
             "a = Div(x, r)\nb = Erf(a)\nc = Add(b, o)\nd = Mul(x, c)\ny = Mul(d, h)\noutput y"},
    {"Gelu by tanh",
     "input x: f32[N, 8]\nconstant three: f32[] = [3]\nconstant f: f32[] = [0.044715]\nconstant p: f32[] = [0.7978846]\nconstant h: f32[] = [0.5]\nconstant o: f32[] = [1]\n"
     "a = Pow(x, three)\nb = Mul(a, f)\nc = Add(x, b)\nd = Mul(c, p)\ne = Tanh(d)\ng = Add(e, o)\ni = Mul(x, h)\ny = Mul(i, g)\noutput y",
     "input x: f32[N, 8]\nconstant three: f32[] = [2]\nconstant f: f32[] = [0.044715]\nconstant p: f32[] = [0.7978846]\nconstant h: f32[] = [0.5]\nconstant o: f32[] = [1]\n"
     "a = Pow(x, three)\nb = Mul(a, f)\nc = Add(x, b)\nd = Mul(c, p)\ne = Tanh(d)\ng = Add(e, o)\ni = Mul(x, h)\ny = Mul(i, g)\noutput y"},
    {"Sigmoid", "input x: f32[N, 8]\nconstant o: f32[] = [1]\na = Neg(x)\nb = Exp(a)\nc = Add(b, o)\ny = Div(o, c)\noutput y",
                "input x: f32[N, 8]\nconstant o: f32[] = [1]\na = Neg(x)\nb = Exp(a)\nc = Add(b, o)\ny = Div(c, o)\noutput y\noutput c"},
    {"Softplus", "input x: f32[N, 8]\nconstant o: f32[] = [1]\nb = Exp(x)\nc = Add(b, o)\ny = Log(c)\noutput y",
                 "input x: f32[N, 8]\nconstant o: f32[] = [2]\nb = Exp(x)\nc = Add(b, o)\ny = Log(c)\noutput y"},
    {"HardSwish", "input x: f32[N, 8]\nconstant l: f32[] = [0]\nconstant h: f32[] = [6]\nconstant t: f32[] = [3]\na = Add(x, t)\nb = Clip(a, l, h)\nc = Mul(x, b)\ny = Div(c, h)\noutput y",
                  "input x: f32[N, 8]\ninput z: f32[N, 8]\nconstant l: f32[] = [0]\nconstant h: f32[] = [6]\nconstant t: f32[] = [3]\na = Add(x, t)\nb = Clip(a, l, h)\nc = Mul(z, b)\ny = Div(c, h)\noutput y"},
    {"HardSwish", "input x: f32[N, 8]\na = HardSigmoid(x) {alpha = 0.16666667}\ny = Mul(x, a)\noutput y", "input x: f32[N, 8]\na = HardSigmoid(x)\ny = Mul(x, a)\noutput y"},
    {"HardSigmoid", "input x: f32[N, 8]\nconstant l: f32[] = [0]\nconstant h: f32[] = [6]\nconstant t: f32[] = [3]\na = Add(x, t)\nb = Clip(a, l, h)\ny = Div(b, h)\noutput y",
                    "input x: f32[N, 8]\nconstant h: f32[] = [6]\nconstant t: f32[] = [3]\na = Add(x, t)\nb = Clip(a, _, h)\ny = Div(b, h)\noutput y"},
    {"Softmax", "input x: f32[N, 3, 8]\nconstant a: i64[1] = [-1]\nm = ReduceMax(x, a)\nd = Sub(x, m)\ne = Exp(d)\ns = ReduceSum(e, a)\ny = Div(e, s)\noutput y",
                "input x: f32[N, 3, 8]\nconstant a: i64[1] = [1]\nm = ReduceMax(x, a)\nd = Sub(x, m)\ne = Exp(d)\ns = ReduceSum(e, a)\ny = Div(e, s)\noutput y"},

    {"LayerNormalization",
     "input x: f32[N, 3, 8]\nconstant a: i64[1] = [-1]\nconstant two: f32[] = [2]\nconstant eps: f32[] = [1e-05]\nweight s: f32[8]\nweight o: f32[8]\n"
     "m = ReduceMean(x, a)\nd = Sub(x, m)\np = Pow(d, two)\nv = ReduceMean(p, a)\nw = Add(v, eps)\nr = Sqrt(w)\nn = Div(d, r)\nt = Mul(n, s)\ny = Add(t, o)\noutput y",
     "input x: f32[N, 3, 8]\nconstant a: i64[1] = [1]\nconstant two: f32[] = [2]\nconstant eps: f32[] = [1e-05]\n"
     "m = ReduceMean(x, a)\nd = Sub(x, m)\np = Pow(d, two)\nv = ReduceMean(p, a)\nw = Add(v, eps)\nr = Sqrt(w)\ny = Div(d, r)\noutput y"},
    {"LayerNormalization",
     "input x: f16[N, 3, 8]\nconstant a: i64[1] = [2]\nconstant eps: f16[] = [0.001]\n"
     "m = ReduceMean(x, a)\nd = Sub(x, m)\np = Mul(d, d)\nv = ReduceMean(p, a)\nw = Add(v, eps)\nr = Sqrt(w)\ny = Div(d, r)\noutput y",
     "input x: f16[N, 3, 8]\nconstant a: i64[1] = [2]\nconstant eps: f16[] = [0.001]\n"
     "m = ReduceMean(x, a)\nd = Sub(x, m)\np = Mul(d, d)\nv = ReduceMean(p, a)\nw = Add(v, eps)\nr = Sqrt(w)\ny = Div(d, r)\noutput y\noutput v"},
    {"LayerNormalization over two axes",
     "input x: f32[N, 3, 8]\nconstant a: i64[2] = [1, 2]\nconstant eps: f32[] = [1e-05]\n"
     "m = ReduceMean(x, a)\nd = Sub(x, m)\np = Mul(d, d)\nv = ReduceMean(p, a)\nw = Add(v, eps)\nr = Sqrt(w)\ny = Div(d, r)\noutput y",
     "input x: f32[N, 3, 8]\nconstant a: i64[2] = [0, 2]\nconstant eps: f32[] = [1e-05]\n"
     "m = ReduceMean(x, a)\nd = Sub(x, m)\np = Mul(d, d)\nv = ReduceMean(p, a)\nw = Add(v, eps)\nr = Sqrt(w)\ny = Div(d, r)\noutput y"},
    {"LayerNormalization over three axes",
     "input x: f32[N, 3, 4, 2]\nconstant a: i64[3] = [1, 2, 3]\nconstant eps: f32[] = [1e-05]\n"
     "m = ReduceMean(x, a)\nd = Sub(x, m)\np = Mul(d, d)\nv = ReduceMean(p, a)\nw = Add(v, eps)\nr = Sqrt(w)\ny = Div(d, r)\noutput y",
     "input x: f32[2, 3, 4, 2]\nconstant a: i64[4] = [0, 1, 2, 3]\nconstant eps: f32[] = [1e-05]\n"
     "m = ReduceMean(x, a)\nd = Sub(x, m)\np = Mul(d, d)\nv = ReduceMean(p, a)\nw = Add(v, eps)\nr = Sqrt(w)\ny = Div(d, r)\noutput y"},
    {"InstanceNormalization",
     "input x: f32[N, 3, 4, 5]\nconstant a: i64[2] = [2, 3]\nconstant eps: f32[] = [1e-05]\n"
     "m = ReduceMean(x, a)\nd = Sub(x, m)\np = Mul(d, d)\nv = ReduceMean(p, a)\nw = Add(v, eps)\nr = Sqrt(w)\ny = Div(d, r)\noutput y",
     "input x: f32[N, 3, 4]\nconstant a: i64[1] = [2]\nconstant eps: f32[] = [1e-05]\n"
     "m = ReduceMean(x, a)\nd = Sub(x, m)\np = Mul(d, d)\nv = ReduceMean(p, a)\nw = Add(v, eps)\nr = Sqrt(w)\ny = Div(d, r)\noutput y"},
    {"scale into LayerNormalization", "input x: f32[N, 3, 8]\nconstant o: f32[] = [1]\nweight s: f32[8]\na = LayerNormalization(x, o)\ny = Mul(a, s)\noutput y",
                                      "input x: f32[N, 3, 8]\nconstant o: f32[] = [1]\nweight s: f32[3, 1]\na = LayerNormalization(x, o)\ny = Mul(a, s)\noutput y"},
    {"scale over two axes into LayerNormalization",
     "input x: f32[N, 3, 8]\nconstant o: f32[] = [1]\nweight s: f32[3, 8]\na = LayerNormalization(x, o) {axis = -2}\ny = Mul(a, s)\noutput y",
     "input x: f32[N, 3, 8]\nconstant o: f32[] = [2]\nweight s: f32[3, 8]\na = LayerNormalization(x, o) {axis = -2}\ny = Mul(a, s)\noutput y"},
    {"scale over three axes into LayerNormalization",
     "input x: f32[N, 2, 3, 8]\nconstant o: f32[] = [1]\nweight s: f32[2, 3, 8]\na = LayerNormalization(x, o) {axis = -3}\ny = Mul(a, s)\noutput y",
     "input x: f32[N, 2, 3, 8]\nconstant o: f32[] = [1]\nweight s: f32[2, 3, 8]\na = LayerNormalization(x, o) {axis = -3}\ny = Mul(a, s)\noutput y\noutput a"},
    {"offset into LayerNormalization", "input x: f32[N, 3, 8]\nweight s: f32[8]\nweight o: f32[1, 1, 8]\na = LayerNormalization(x, s)\ny = Add(a, o)\noutput y",
                                       "input x: f32[N, 3, 8]\nweight s: f32[8]\nweight o: f32[1, 3, 1]\na = LayerNormalization(x, s)\ny = Add(a, o)\noutput y"},
    {"offset over two axes into LayerNormalization",
     "input x: f32[N, 3, 8]\nweight s: f32[8]\nweight o: f32[3, 1]\na = LayerNormalization(x, s) {axis = -2}\ny = Add(a, o)\noutput y",
     "input x: f32[N, 3, 8]\nweight s: f32[8]\nweight o: f32[3, 1]\na = LayerNormalization(x, s, s) {axis = -2}\ny = Add(a, o)\noutput y"},
    {"offset over three axes into LayerNormalization",
     "input x: f32[N, 2, 3, 8]\nweight s: f32[8]\nweight o: f32[2, 1, 1]\na = LayerNormalization(x, s) {axis = -3}\ny = Add(a, o)\noutput y",
     "input x: f32[N, 2, 3, 8]\nweight s: f32[8]\ninput o: f32[2, 1, 1]\na = LayerNormalization(x, s) {axis = -3}\ny = Add(a, o)\noutput y"},
    {"scale into InstanceNormalization",
     "input x: f32[N, 3, 8]\nconstant one: f32[3] = [1, 1, 1]\nconstant zero: f32[3] = [0, 0, 0]\nweight s: f32[3, 1]\na = InstanceNormalization(x, one, zero)\ny = Mul(a, s)\noutput y",
     "input x: f32[N, 3, 8]\nconstant one: f32[3] = [1, 1, 2]\nconstant zero: f32[3] = [0, 0, 0]\nweight s: f32[3, 1]\na = InstanceNormalization(x, one, zero)\ny = Mul(a, s)\noutput y"},
    {"offset into InstanceNormalization",
     "input x: f32[N, 3, 8]\nweight s: f32[3]\nconstant zero: f32[3] = [0, 0, 0]\nweight o: f32[]\na = InstanceNormalization(x, s, zero)\ny = Add(a, o)\noutput y",
     "input x: f32[N, 3, 8]\nweight s: f32[3]\nconstant zero: f32[3] = [0, 0, 1]\nweight o: f32[]\na = InstanceNormalization(x, s, zero)\ny = Add(a, o)\noutput y"},
};
// clang-format on

Rewritten rewritten(const Graph& graph) {
    auto result = rewrite(graph, portable_pack().conversion);
    if (!result) FAIL(result.error().to_string());
    return *std::move(result);
}

std::set<std::string_view> used(const Rewritten& result) {
    std::set<std::string_view> names;
    for (const PatternUse& use : result.report.used) names.insert(use.pattern);
    return names;
}

}  // namespace

TEST_CASE("Each conversion of the portable pack fires where it should, and results stay") {
    for (const PatternCase& test : cases) {
        CAPTURE(test.pattern);
        CAPTURE(test.fires);
        const Graph graph = case_graph(test.fires);
        const Rewritten result = rewritten(graph);
        CHECK(used(result).contains(test.pattern));
        const std::vector<Tensor> inputs = random_inputs(graph);
        const auto before = evaluate(graph, inputs), after = evaluate(result.graph, inputs);
        REQUIRE(before);
        REQUIRE(after);
        CHECK(before->size() == after->size());
        const bool narrow = test.fires.find("f16") != test.fires.npos;
        for (std::size_t i = 0; i < before->size(); ++i) {
            const double difference = relative_difference((*before)[i], (*after)[i]);
            if (result.report.keeps_bits())
                CHECK(difference == 0);
            else
                CHECK(difference < (narrow ? bound_f16 : bound));
            const Value &was = graph.value(graph.outputs()[i]),
                        &is = result.graph.value(result.graph.outputs()[i]);
            CHECK(was.name == is.name);
            CHECK(was.type == is.type);
        }
    }
}

TEST_CASE("Each conversion of the portable pack doesn't fire where it shouldn't") {
    for (const PatternCase& test : cases) {
        CAPTURE(test.pattern);
        CAPTURE(test.stays);
        CHECK(!used(rewritten(case_graph(test.stays))).contains(test.pattern));
    }
}

TEST_CASE("Each conversion of the portable pack has cases, and they have different names") {
    std::set<std::string_view> names, tested;
    for (const PatternCase& test : cases) tested.insert(test.pattern);
    for (const ConversionPattern& pattern : portable_pack().conversion) {
        CHECK_MESSAGE(names.insert(pattern.name).second, pattern.name);
        CHECK_MESSAGE(tested.contains(pattern.name), pattern.name);
    }
    CHECK(names == tested);
}

}  // namespace muster::graph
