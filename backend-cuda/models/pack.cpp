// The pack of patterns for models that this backend contributes.
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster::cuda {
namespace {

constexpr graph::Algorithm tiles{.kind = graph::Algorithm::Kind::shared_tiles,
                                 .rows = 64,
                                 .columns = 64,
                                 .rows_each = 4,
                                 .columns_each = 4,
                                 .depth = 16};

const graph::Pack& cuda_pack() {
    static const graph::Pack pack{
        .name = "cuda",
        .purpose = "For NVIDIA's GPUs: products and convolutions with tiles in shared memory.",
        .backends = {"cuda"},
        .extends_portable = true,
        .fusion = {
            {.name = "convolution in shared tiles",
             .match = {"c = Conv(x, W, B?) {group = 1}"},
             .where = "type(x, f32, f16), not_dequantized(W), at_least(W, 0, 32)",
             .growth = graph::Growth::epilogue,
             .algorithm = tiles},
            {.name = "product in shared tiles",
             .match = {"c = Gemm(a, b, c2?)", "c = MatMul(a, b)"},
             .where = "type(a, f32, f16), not_dequantized(b), at_least(c, -1, 32), at_least(c, -2, 32)",
             .growth = graph::Growth::epilogue,
             .algorithm = tiles}}};
    return pack;
}

constexpr BackendPatterns patterns{.id = "cuda", .pack = cuda_pack};

}  // namespace

MUSTER_SUBMIT(patterns);

}  // namespace muster::cuda
