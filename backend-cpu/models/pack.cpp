// The pack of patterns for models that this backend contributes.
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/foundation/graph/pack/pack.hpp>

namespace muster::cpu {
namespace {

const graph::Pack& cpu_pack() {
    static const graph::Pack pack{
        .name = "cpu",
        .purpose = "For processors: convolutions of 3x3 by Winograd's algorithm.",
        .backends = {"cpu"},
        .extends_portable = true,
        .fusion = {
            {.name = "convolution of 3x3 by Winograd's algorithm",
             .bits = graph::Bits::changed,
             .match = {"c = Conv(x, W, B?) {group = 1}"},
             // With fewer channels, what goes to tiles and back takes more time than the products save.
             .where = "constant(W), type(x, f32), rank(W, 4), window(c, 3, 1), at_least(W, 0, 16), "
                      "at_least(W, 1, 16)",
             .growth = graph::Growth::epilogue,
             .algorithm = {.kind = graph::Algorithm::Kind::winograd}}}};
    return pack;
}

constexpr BackendPatterns patterns{.id = "cpu", .pack = cpu_pack};

}  // namespace

MUSTER_SUBMIT(patterns);

}  // namespace muster::cpu
