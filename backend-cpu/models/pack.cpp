// The pack of patterns for models that this backend contributes.
#include <muster/backend-cpu/native/host.hpp>
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster::cpu {
namespace {

/// With 32 vector registers of 16 lanes, AVX-512 takes the largest tiles; of 6 x 16 results, the sums, two
/// vectors of weights and what they are multiplied by fit the 16 registers of AVX2, and NEON's.
graph::Algorithm in_registers(graph::Algorithm::Kind kind) {
    const ArchTraits* const traits = arch_traits(host().arch);
    if (traits != nullptr && traits->width >= 16) return {.kind = kind};
    return {.kind = kind, .rows = 6, .columns = 16};
}

const graph::Pack& cpu_pack() {
    static const graph::Pack pack{
        .name = "cpu",
        .purpose =
            "For processors: convolutions of 3x3 by Winograd's algorithm, and tiles that fit the registers.",
        .backends = {"cpu"},
        .extends_portable = true,
        .fusion = {
            {.name = "convolution of 3x3 by Winograd's algorithm",
             .bits = graph::Bits::changed,
             .match = {"c = Conv(x, W, B?) {group = 1}"},
             // With fewer channels, what goes to tiles and back takes more time than the products save.
             .where = "constant(W), type(x, f32), rank(W, 4), window(c, 3, 1), at_least(W, 0, 16), "
                      "at_least(W, 1, 32)",
             .growth = graph::Growth::epilogue,
             .algorithm = in_registers(graph::Algorithm::Kind::winograd)},
            {.name = "product in registers",
             .match = {"c = Conv(x, W, B?)", "c = Gemm(x, W, B?)", "c = MatMul(x, W)"},
             .where = "not_dequantized(W)",
             .growth = graph::Growth::epilogue,
             .algorithm = in_registers(graph::Algorithm::Kind::direct)}}};
    return pack;
}

constexpr BackendPatterns patterns{.id = "cpu", .pack = cpu_pack};

}  // namespace

MUSTER_SUBMIT(patterns);

}  // namespace muster::cpu
