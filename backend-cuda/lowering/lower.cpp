#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-cuda/lowering/lowering.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/base/version.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster::cuda {

Lowering::Lowering(const Program& program, const LowerTarget& target)
    : program_(program),
      target_(target),
      types_(program.types(), names_, prelude_),
      operations_(types_, prelude_, target.options.precision == Precision::exact, count_math_uses(program)),
      uses_(program),
      loops_(program),
      ranges_(target.options.unchecked ? Ranges{} : analyse_ranges(program)),
      writer_(program),
      values_(program.node_count()),
      ahead_(program.node_count()),
      reads_(program.node_count()),
      roots_(program.variables().size()) {}

Result<CudaSource> Lowering::run() && {
    result_.entry =
        names_.unique_name(kernel_name(target_.entry_name.empty() ? program_.entry() : target_.entry_name));
    result_.workgroup_size = program_.workgroup_size();
    const std::vector<Line> body = writer_.captured([&] {
        name_variables();
        declare_interface();
        declare_workgroup_memory();
        declare_privates();
        block(program_.body());
        writer_.at({});
        if (!ends_in_jump(program_.body())) leave_grid();
    });
    if (result_.parameter_bytes > most_parameter_bytes)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("The parameters of {} take {} bytes, more than the {} of a CUDA kernel.",
                                program_.entry(), result_.parameter_bytes, most_parameter_bytes),
                    "use fewer bindings");
    const std::string prelude = prelude_.text().empty() ? "" : prelude_.text() + "\n";
    Assembled made = assemble(program_, head() + prelude + signature(), body, target_.debug);
    result_.text = std::move(made.text) + "}\n";
    result_.debug_map = std::move(made.debug_map);
    return std::move(result_);
}

std::string Lowering::head() const {
    const bool exact = target_.options.precision == Precision::exact;
    const Extent3 size = program_.workgroup_size();
    std::string text = fmt::format("// {} by muster {}: blocks of {} x {} x {} threads", program_.entry(),
                                   MUSTER_VERSION, size.x, size.y, size.z);
    text += result_.dynamic_shared_bytes == 0
                ? ".\n"
                : fmt::format(", with {} bytes of dynamic shared memory.\n", result_.dynamic_shared_bytes);
    text += exact ? "// Exact, if compiled with -fmad=false -prec-div=true -prec-sqrt=true -ftz=false.\n"
                  : "// Fast: to be compiled with --use_fast_math.\n";
    if (!barrier_state_.empty())
        text += fmt::format(
            "// To be launched cooperatively, with no more blocks than the device can run at the same time.\n"
            "// {} points to memory that is zero before the first launch; each launch leaves it ready for "
            "the next.\n",
            barrier_state_);
    if (target_.options.unchecked) text += "// Unchecked: accesses out of bounds are not prevented.\n";
    return text + "\n";
}

std::string Lowering::signature() const {
    std::string parameters = fmt::format("{}", fmt::join(parameters_, ", "));
    if (parameters.size() > 90) parameters = fmt::format("\n    {}", fmt::join(parameters_, ",\n    "));
    return fmt::format("extern \"C\" __global__ void __launch_bounds__({})\n{}({}) {{\n",
                       program_.workgroup_size().count(), result_.entry, parameters);
}

Result<CudaSource> lower(const ValidProgram& program, const LowerTarget& target) {
    return Lowering(*program, target).run();
}

const OpSet& supported_ops() {
    static const OpSet all = [] {
        OpSet ops = OpSet::all_exact();
        ops.insert(OpGroup::math);
        ops.insert(grid_barrier_id).insert(grid_uniform_load_id);
        return ops;
    }();
    return all;
}

}  // namespace muster::cuda
