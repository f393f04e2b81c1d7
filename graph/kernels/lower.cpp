#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/lower.hpp>
#include <muster/graph/kernels/shared_tiles.hpp>

namespace muster::graph {
namespace {

using Lower = Result<void> (*)(GroupLowering&);

/// Shape's output is a constant wherever its input has sizes that are numbers.
Result<void> refuse(GroupLowering&) {
    return fail(ErrorCode::unsupported,
                "Its result isn't known before kernels are made, and no kernel makes it.");
}

/// The function that lowers groups with this anchor.
Lower lowering(Operator op) {
    using enum Operator;
    // clang-format off
    switch (op) {
        case abs: case neg: case floor: case ceil: case sqrt: case exp: case log: case sin: case cos: case tanh:
        case erf: case reciprocal: case sigmoid: case hard_sigmoid: case hard_swish: case relu: case leaky_relu:
        case elu: case softplus: case gelu: case logical_not: case cast: case clip: case add: case sub: case mul:
        case div: case pow: case prelu: case logical_and: case logical_or: case equal: case greater:
        case greater_or_equal: case less: case less_or_equal: case where: case min: case max: case sum:
            return lower_elements;
        case conv: case qlinear_conv: return lower_conv;
        case conv_transpose: return lower_conv_transpose;
        case matmul: case gemm: case matmul_integer: case qlinear_matmul: return lower_product;
        case einsum: return lower_einsum;
        case attention: return lower_attention;
        case gru: case lstm: return lower_recurrent;
        case max_pool: return lower_max_pool;
        case average_pool: return lower_average_pool;
        case global_average_pool: return lower_global_average_pool;
        case global_max_pool: return lower_global_max_pool;
        case batch_normalization: return lower_batch_normalization;
        case layer_normalization: return lower_layer_normalization;
        case instance_normalization: return lower_instance_normalization;
        case lrn: return lower_lrn;
        case softmax: return lower_softmax;
        case reduce_mean: case reduce_sum: case reduce_max: case reduce_min: case reduce_l2: return lower_reduction;
        case arg_max: return lower_arg_max;
        case top_k: return lower_top_k;
        case cum_sum: return lower_cum_sum;
        case identity: case dropout: case split: case slice: case transpose: case reshape: case flatten: case squeeze:
        case unsqueeze: case expand:
            return lower_view;
        case concat: return lower_concat;
        case gather: return lower_gather;
        case gather_elements: return lower_gather_elements;
        case gather_nd: return lower_gather_nd;
        case scatter_nd: return lower_scatter_nd;
        case tile: return lower_tile;
        case pad: return lower_pad;
        case trilu: return lower_trilu;
        case depth_to_space: return lower_depth_to_space;
        case one_hot: return lower_one_hot;
        case resize: return lower_resize;
        case shape: return refuse;
        case constant_of_shape: return lower_constant_of_shape;
        case range: return lower_range;
        case quantize_linear: return lower_quantize_linear;
        case dequantize_linear: return lower_dequantize_linear;
        case dynamic_quantize_linear: return lower_dynamic_quantize_linear;
    }
    // clang-format on
    return refuse;
}

Result<void> check_constants(const GroupLowering& group) {
    for (std::size_t i = 0; i < group.input_count(); ++i) {
        if (!group.has(i) || !info(group.op()).input(i).constant || group.constant(group.input(i))) continue;
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
