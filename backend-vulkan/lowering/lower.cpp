#include <fmt/format.h>

#include <muster/backend-vulkan/lowering/divergent_loops.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/backend-vulkan/lowering/lowering.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::vulkan {
namespace {

// Number of ids that every consumer accepts: SPIR-V, section "Universal Limits".
constexpr Id most_ids = 4'194'303;

}  // namespace

Lowering::Lowering(const Program& program, const LowerTarget& target)
    : ControlWalk(program),
      program_(program),
      target_(target),
      subgroups_(program.needs().subgroups),
      module_(target.version),
      types_(module_, program.types()),
      lines_(program, module_, target.debug),
      builder_(module_, types_, lines_, target.options.precision == Precision::exact),
      ranges_(target.options.unchecked ? Ranges{} : analyse_ranges(program)),
      loops_(program),
      divergent_loops_(divergent_loops(program, loops_)),
      large_(program),
      values_(program.node_count()),
      memories_(program.node_count()),
      lengths_(program.variables().size()),
      roots_(program.variables().size()),
      bindings_(program.bindings().size()) {
    builder_.runtime_zero = [this](Builder::Unknown which) { return runtime_zero(which); };
}

Result<SpirvModule> Lowering::run() && {
    function_ = module_.id();
    entry_label_ = module_.id();
    module_.name(function_, program_.entry());
    TRY(decide_on_loops());
    declare_interface();
    builder_.start(entry_label_);
    zero_workgroup_memory();
    zero_private_memory();
    block(program_.body());
    if (builder_.is_open()) leave_function();
    declare_entry_point();
    declare_float_modes();
    return finish();
}

void Lowering::declare_entry_point() {
    // An entry point lists all variables that it uses; before SPIR-V 1.4, inputs and outputs only.
    const std::vector<Id>& interface = module_.is_at_least(0x00010400) ? globals_ : inputs_;
    module_.entry_points.add(spv::Op::OpEntryPoint,
                             {static_cast<Word>(spv::ExecutionModel::GLCompute), function_}, program_.entry(),
                             interface);
    const Extent3 asked = program_.workgroup_size();
    const Extent3 size = subgroups_ ? Extent3{static_cast<std::uint32_t>(asked.count()), 1, 1} : asked;
    module_.execution_modes.add(
        spv::Op::OpExecutionMode,
        {function_, static_cast<Word>(spv::ExecutionMode::LocalSize), size.x, size.y, size.z});
    if (!subgroups_ || !target_.subgroup_uniform_control_flow) return;
    module_.require_extension("SPV_KHR_subgroup_uniform_control_flow");
    module_.execution_modes.add(
        spv::Op::OpExecutionMode,
        {function_, static_cast<Word>(spv::ExecutionMode::SubgroupUniformControlFlowKHR)});
}

void Lowering::declare_float_modes() {
    const auto declare = [&](Scalar scalar, const FloatControls& has) {
        if (!builder_.exact || !contains(program_.needs().scalars, scalar)) return;
        const auto mode = [&](bool is_there, spv::Capability capability, spv::ExecutionMode mode) {
            if (!is_there) return;
            module_.require(capability);
            if (!module_.is_at_least(0x00010400)) module_.require_extension("SPV_KHR_float_controls");
            module_.execution_modes.add(spv::Op::OpExecutionMode,
                                        {function_, static_cast<Word>(mode), 8 * info(scalar).bytes});
        };
        mode(has.denorm_preserve, spv::Capability::DenormPreserve, spv::ExecutionMode::DenormPreserve);
        mode(has.signed_zero_inf_nan_preserve, spv::Capability::SignedZeroInfNanPreserve,
             spv::ExecutionMode::SignedZeroInfNanPreserve);
        mode(has.rounding_rte, spv::Capability::RoundingModeRTE, spv::ExecutionMode::RoundingModeRTE);
    };
    declare(Scalar::f32, target_.float_controls);
    declare(Scalar::f64, target_.double_controls);
}

Result<SpirvModule> Lowering::finish() {
    const Id none = types_.none();
    const Id function_type = module_.type(spv::Op::OpTypeFunction, {none});
    Instructions function;
    function.add(spv::Op::OpFunction,
                 {none, function_, static_cast<Word>(spv::FunctionControlMask::MaskNone), function_type});
    function.add(spv::Op::OpLabel, {entry_label_});
    function.append(builder_.variables);
    function.append(builder_.prologue);
    const std::size_t body_at = function.size();
    function.append(builder_.body);
    function.add(spv::Op::OpFunctionEnd, {});

    Module::Assembled made = module_.assemble(function);
    if (made.overflowed || types_.overflowed() || too_large_ || module_.bound() > most_ids)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("{} is too large for SPIR-V: it needs {} ids of at most {}, or has a value, a type "
                        "or a switch of more than 65535 words.",
                        program_.entry(), module_.bound(), most_ids),
            "load and store large arrays element by element, or split the kernel");
    SpirvModule result{.words = std::move(made.words),
                       .entry = std::string(program_.entry()),
                       .workgroup_size = program_.workgroup_size(),
                       .bindings = std::move(bindings_),
                       .push_constant_bytes = push_bytes_,
                       .watched_loops = std::move(watched_),
                       .debug_map = lines_.map(made.function_at + body_at, builder_.body.size())};
    if (origin_member_) result.origin_offset = push_members_[*origin_member_].offset;
    if (grid_member_) result.grid_offset = push_members_[*grid_member_].offset;
    return result;
}

Result<SpirvModule> lower(const ValidProgram& program, const LowerTarget& target) {
    TRY(check_operations("Vulkan", *program, supported_ops()));
    return Lowering(*program, target).run();
}

const OpSet& supported_ops() {
    static const OpSet all = [] {
        OpSet ops = OpSet::all_core();
        ops.wide_atomics = true;
        return ops.insert(OpGroup::packed).insert(Op::subgroup_ballot).insert(Op::subgroup_shuffle);
    }();
    return all;
}

OpSet ops_with(bool packed_products, bool wide_atomics) {
    OpSet ops = supported_ops();
    ops.wide_atomics = wide_atomics;
    if (!packed_products) ops.core &= ~OpSet().insert(OpGroup::packed).core;
    return ops;
}

std::optional<VulkanVersion> parse_version(std::string_view arch) {
    for (const VulkanVersion version : {VulkanVersion::v1_1, VulkanVersion::v1_2, VulkanVersion::v1_3})
        if (arch == name(version)) return version;
    return std::nullopt;
}

std::string_view name(VulkanVersion version) {
    switch (version) {
        case VulkanVersion::v1_1: return "vulkan1.1";
        case VulkanVersion::v1_2: return "vulkan1.2";
        case VulkanVersion::v1_3: return "vulkan1.3";
    }
    return "";
}

}  // namespace muster::vulkan
