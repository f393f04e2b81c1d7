#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/lower.hpp>
#include <muster/graph/kernels/shared_tiles.hpp>

namespace muster::graph {
namespace {

/// Lowers a group with this anchor.
Result<void> lower_anchor(Operator op, GroupLowering& group) {
    constexpr Result<void> (*functions[])(GroupLowering&){
#define MUSTER_OPERATOR(op, name, infer, evaluate, lower, ...) lower_##lower,
#include <muster/graph/ir/operators.def>
    };
    return functions[static_cast<std::size_t>(op)](group);
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

// Its output is a constant wherever its input has sizes that are numbers.
Result<void> lower_shape(GroupLowering&) {
    return fail(ErrorCode::unsupported,
                "Its result isn't known before kernels are made, and no kernel makes it.");
}

Result<GroupKernels> lower_group(const Graph& graph, const Group& group, const StorageOf& storage_of) {
    if (group.pattern && group.pattern->lower) return group.pattern->lower(graph, group, storage_of);
    GroupLowering lowered(graph, group, storage_of);
    if (lowered.algorithm().kind == Algorithm::Kind::shared_tiles)
        TRY(SharedTiles::check(lowered.algorithm(), lowered.pattern_name()));
    if (lowered.anchor()) TRY(check_constants(lowered));
    TRY(lowered.anchor() ? lower_anchor(lowered.op(), lowered) : lower_elements(lowered));
    return std::move(lowered).take();
}

}  // namespace muster::graph
