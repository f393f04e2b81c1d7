#include <muster/graph/portable/portable_pack.hpp>

namespace muster::graph {

std::vector<FusionPattern> portable_fusion() {
    return {
        {.name = "attention",
         .match = {"MatMul(Softmax(MatMul(q, k) * scale + mask), v)",
                   "MatMul(Softmax(MatMul(q, k) / scale + mask), v)",
                   "MatMul(Softmax(MatMul(q, k) * scale), v)", "MatMul(Softmax(MatMul(q, k) / scale), v)",
                   "MatMul(Softmax(MatMul(q, k) + mask), v)", "MatMul(Softmax(MatMul(q, k)), v)"}},
        {.name = "softmax of scaled and masked",
         .match = {"s = Softmax(x * scale + mask)", "s = Softmax(x / scale + mask)", "s = Softmax(x * scale)",
                   "s = Softmax(x / scale)", "s = Softmax(x + mask)", "s = Softmax(Where(mask, x, fill))"},
         .where = "same_shape(x, s)"},
        {.name = "convolution of integers",
         .bits = Bits::changed,  // the sum is exact, and scaled once
         .match = {"c = Conv(DequantizeLinear(x, xs, xz?) as dx, DequantizeLinear(W, ws, wz?) as dw, B?)"},
         .where = "constant(W, ws, wz, xs), one_element(xs)",
         .growth = Growth::epilogue},
        {.name = "product of integers",
         .bits = Bits::changed,
         .match = {"c = MatMul(DequantizeLinear(x, xs, xz?) as dx, DequantizeLinear(W, ws, wz?) as dw)",
                   "c = Gemm(DequantizeLinear(x, xs, xz?) as dx, DequantizeLinear(W, ws, wz?) as dw, C?) "
                   "{transA = 0}"},
         .where = "constant(W, ws, wz, xs), one_element(xs), rank(W, 2)",
         .growth = Growth::epilogue},
        {.name = "product with epilogue",
         .match = {"c = Conv(x, W, B?)", "c = ConvTranspose(x, W, B?)", "c = Gemm(a, b, c2?)",
                   "c = MatMul(a, b)"},
         .growth = Growth::epilogue},
        {.name = "element-wise operators", .growth = Growth::element_wise},
    };
}

}  // namespace muster::graph
