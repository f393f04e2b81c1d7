// A plugin of a pack of patterns alone: -DID='"packed"' -DNAME='"packed"', and with -DQUANTIZES one that makes products of integers.
#include <muster/driver/contract/inventory.hpp>
#include <muster/graph/pack/pack.hpp>

extern "C" [[gnu::weak]] void muster_test_opened(const char* name);

namespace muster {
namespace {

[[maybe_unused]] const bool told = [] {
    if (muster_test_opened != nullptr) muster_test_opened(NAME);
    return true;
}();

const graph::Pack& pack() {
    static const graph::Pack patterns{
        .name = ID,
        .purpose = "For tests.",
#ifdef QUANTIZES
        .quantized = {{.name = "MatMul",
                       .match = {"MatMul(a, W)"},
                       .where = "constant(W)",
                       .values = {{.name = "a"},
                                  {.name = "W", .role = graph::QuantizedValue::Role::weight}}}},
#endif
    };
    return patterns;
}
constexpr BackendPatterns patterns{.id = ID, .pack = pack};
MUSTER_SUBMIT(patterns);

}  // namespace
}  // namespace muster
