#include <muster/foundation/graph/portable/conversions.hpp>
#include <muster/foundation/graph/portable/portable_pack.hpp>

namespace muster::graph {

std::vector<ConversionPattern> portable_conversions() {
    std::vector<ConversionPattern> all;
    for (auto list : {clean_up(), layout_conversions(), affine_conversions(), composed_conversions(),
                      integer_conversions()})
        all.insert(all.end(), list.begin(), list.end());
    return all;
}

const Pack& portable_pack() {
    static const Pack pack{.name = "portable",
                           .purpose = "For every device, with the same bits on all of them.",
                           .conversion = portable_conversions(),
                           .fusion = portable_fusion(),
                           .smooth = portable_smooth(),
                           .quantized = portable_quantized()};
    return pack;
}

}  // namespace muster::graph
