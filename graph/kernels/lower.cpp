#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/kernels/constant_inputs.hpp>
#include <muster/graph/kernels/lower.hpp>
#include <muster/graph/kernels/shared_tiles.hpp>
#include <muster/graph/kernels/views.hpp>

namespace muster::graph {
namespace {

using Lower = Result<void> (*)(GroupLowering&);

/// The function that lowers groups with this anchor.
Lower lowering(Operator op) {
    using enum Operator;
    if (op == conv || op == qlinear_conv) return lower_conv;
    if (op == conv_transpose) return lower_conv_transpose;
    if (op == matmul || op == gemm || op == matmul_integer || op == qlinear_matmul) return lower_product;
    if (op == einsum) return lower_einsum;
    if (op == attention) return lower_attention;
    if (op == gru || op == lstm) return lower_recurrent;
    if (op >= max_pool && op <= global_max_pool) return lower_pool;
    if (op >= batch_normalization && op <= softmax) return lower_normalization;
    if (op >= reduce_mean && op <= reduce_l2) return lower_reduction;
    if (op >= arg_max && op <= cum_sum) return lower_search;
    if (op == gather || op == gather_elements || op == gather_nd || op == scatter_nd || op == one_hot)
        return lower_gather;
    if (op == resize) return lower_resize;
    if (op == quantize_linear || op == dequantize_linear || op == dynamic_quantize_linear)
        return lower_quantized;
    return lower_move;
}

Result<void> check_constants(const GroupLowering& group) {
    for (std::size_t i = 0; i < group.input_count(); ++i) {
        if (!group.has(i) || !must_be_constant(group.op(), i) || group.constant(group.input(i))) continue;
        return fail(
            ErrorCode::unsupported,
            fmt::format("Its input {} (\"{}\") depends on data, and kernels are made for constant {}.",
                        info(group.op()).input(i).name, printable(group.graph().value(group.input(i)).name),
                        info(group.op()).input(i).name));
    }
    return {};
}

}  // namespace

Result<GroupKernels> lower_group(const Graph& graph, const Group& group, const StorageOf& storage_of) {
    if (group.pattern && group.pattern->lower) return group.pattern->lower(graph, group, storage_of);
    GroupLowering lowered(graph, group, storage_of);
    if (lowered.algorithm().kind == Algorithm::Kind::shared_tiles)
        TRY(SharedTiles::check(lowered.algorithm(), lowered.pattern_name()));
    if (lowered.anchor()) TRY(check_constants(lowered));
    TRY(lowered.anchor() ? lowering(lowered.op())(lowered) : lower_elements(lowered));
    return std::move(lowered).take();
}

}  // namespace muster::graph
