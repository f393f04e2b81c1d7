#include <fmt/format.h>

#include <muster/backend-cuda/lowering/dialect.hpp>
#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/driver/c_text/lower.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster::cuda {

Result<CudaSource> lower(const ValidProgram& program, const LowerTarget& target) {
    TRY(check_operations("CUDA", *program, supported_ops()));
    CudaDialect dialect(*program, target);
    c_text::Text made =
        c_text::lower(program, dialect,
                      {.options = target.options, .debug = target.debug, .entry_name = target.entry_name});
    CudaSource source = std::move(dialect).described();
    if (source.parameter_bytes > most_parameter_bytes)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("The parameters of {} take {} bytes, more than the {} of a CUDA kernel.",
                                program->entry(), source.parameter_bytes, most_parameter_bytes),
                    "use fewer bindings");
    source.text = std::move(made.text);
    source.entry = std::move(made.entry);
    source.debug_map = std::move(made.debug_map);
    return source;
}

const OpSet& supported_ops() {
    static const OpSet all = [] {
        OpSet ops = OpSet::all_exact();
        ops.insert(OpGroup::packed).insert(OpGroup::math);
        ops.insert(Op::subgroup_ballot).insert(Op::subgroup_shuffle);
        ops.insert(grid_barrier_id).insert(grid_uniform_load_id);
        ops.wide_atomics = true;
        // The device's own addition, which is much faster than a loop if many add to one place. It rounds to
        // nearest even; in global memory it may flush subnormals.
        for (const Op op :
             {Op::atomic_load, Op::atomic_store, Op::atomic_add, Op::atomic_sub, Op::atomic_exchange})
            ops.f32_atomics.set(static_cast<std::size_t>(op));
        return ops;
    }();
    return all;
}

}  // namespace muster::cuda
