// A pack of patterns for an NPU that nobody has: a library that is linked contributes it (docs/packs.md).
#include <muster/driver/contract/inventory.hpp>
#include <muster/foundation/graph/pack/pack.hpp>

namespace muster::graph {
namespace {

const Pack& npu_pack() {
    static const Pack pack{
        .name = "npu",
        .purpose = "For the NPU, which has products with an activation.",
        .backends = {"npu"},
        .conversion = {{.name = "Gelu",
                        .bits = Bits::changed,
                        .match = {"x * 0.5 * (1 + Erf(x / 1.41421356))"},
                        .give = "Gelu(x)"},
                       {.name = "factor into MatMul",
                        .bits = Bits::changed,
                        .match = {"y = MatMul(a, W) * k"},
                        .where = "constant(W, k), one_element(k), rank(W, 2)",
                        .give = "MatMul(a, W * k)"}},
        .fusion = {
            {.name = "product with activation", .match = {"m = MatMul(a, W)"}, .growth = Growth::epilogue}}};
    return pack;
}

constexpr BackendPatterns patterns{.id = "npu", .pack = npu_pack};
MUSTER_SUBMIT(patterns);

}  // namespace
}  // namespace muster::graph
