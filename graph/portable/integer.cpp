#include <muster/foundation/base/try.hpp>
#include <muster/graph/portable/conversions.hpp>
#include <muster/graph/rewrite/conversion_site.hpp>

namespace muster::graph {
namespace {

/// Gives a product a DequantizeLinear of its own, so that both can be in one group.
Result<ConversionOutcome> own_dequantize(ConversionSite& at) {
    const Draft::Node& product = at.draft().node(at.node());
    NodeSpec spec{.op = at.op(), .inputs = product.inputs, .attributes = product.attributes};
    bool is_changed = false;
    for (std::size_t i = 0; i < 2; ++i) {
        const auto maker = at.maker(spec.inputs[i]);
        if (!maker || at.has_one_use(spec.inputs[i])) continue;
        const Draft::Node dequantize = at.draft().node(*maker);
        if (dequantize.op != Operator::dequantize_linear) continue;
        spec.inputs[i] = TRY(at.add_node(
            {.op = dequantize.op, .inputs = dequantize.inputs, .attributes = dequantize.attributes}));
        is_changed = true;
    }
    if (!is_changed) return ConversionOutcome::no_match();
    return at.replace_by(TRY(at.add_node(std::move(spec))), {at.node()});
}

}  // namespace

std::vector<ConversionPattern> integer_conversions() {
    return {{.name = "DequantizeLinear for each product",
             .function = own_dequantize,
             .roots = {Operator::conv, Operator::matmul, Operator::gemm}}};
}

}  // namespace muster::graph
