#include <muster/graph/portable/conversions.hpp>
#include <muster/graph/portable/portable_pack.hpp>

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

Pack with_portable(Pack pack) {
    const Pack& portable = portable_pack();
    if (!pack.extends_portable) return pack;
    const auto append = [](auto& list, const auto& more) {
        list.insert(list.end(), more.begin(), more.end());
    };
    append(pack.conversion, portable.conversion);
    append(pack.fusion, portable.fusion);
    append(pack.smooth, portable.smooth);
    append(pack.quantized, portable.quantized);
    pack.extends_portable = false;
    return pack;
}

}  // namespace muster::graph
