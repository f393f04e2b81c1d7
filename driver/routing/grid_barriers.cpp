#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/routing/grid_barriers.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster {

bool has_own_grid_barriers(const OpSet& ops) {
    return std::ranges::find(ops.extensions, grid_barrier_id) != ops.extensions.end();
}

OpSet without_grid_barriers(OpSet ops) {
    std::erase_if(ops.extensions,
                  [](const std::string& id) { return id == grid_barrier_id || id == grid_uniform_load_id; });
    return ops;
}

std::string to_string(const GridBarrierUse& use) {
    switch (use.how) {
        case GridBarrierUse::How::none: return {};
        case GridBarrierUse::How::launched: return "cooperative launch";
        case GridBarrierUse::How::split: break;
    }
    std::string text = fmt::format("split into {} dispatch{}, {} bytes of scratch per invocation",
                                   use.dispatches, use.dispatches == 1 ? "" : "es", use.scratch_bytes);
    if (use.workgroup_scratch_bytes != 0)
        text += fmt::format(" and {} per workgroup", use.workgroup_scratch_bytes);
    return text;
}

FloatResults float_results(const CompileOptions& options) {
    return options.precision == Precision::exact ? FloatResults::repeatable : FloatResults::varying;
}

bool needs_idle_kernel(const SplitProgram& split) {
    return split.waits || !split.host_reads.empty() || split.liveness_checks > 0;
}

Result<ValidProgram> idle_kernel() { return validate(TRY(IrBuilder("muster_nothing", {1, 1, 1}).finish())); }

Result<GridBarrierUse> grid_barrier_use(const Program& program, const OpSet& device,
                                        const CompileOptions& options) {
    using How = GridBarrierUse::How;
    if (!has_grid_barriers(program)) return GridBarrierUse{};
    if (has_own_grid_barriers(device)) return GridBarrierUse{.how = How::launched};
    const SplitProgram split = TRY(split_at_grid_barriers(program, float_results(options)));
    return GridBarrierUse{
        .how = How::split,
        .dispatches = static_cast<std::uint32_t>(split.parts.size()) - split.liveness_checks,
        .scratch_bytes = split.invocation_words * 4,
        .workgroup_scratch_bytes = split.workgroup_words * 4};
}

}  // namespace muster
