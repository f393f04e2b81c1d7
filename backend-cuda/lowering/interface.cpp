// Kernel parameters.
#include <algorithm>

#include <fmt/format.h>

#include <muster/backend-cuda/lowering/dialect.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/ir/place.hpp>

namespace muster::cuda {
namespace {

constexpr std::uint32_t pointer_bytes = 8;

bool contains_array(const TypeTable& types, TypeId id) {
    const Type& type = types[id];
    return type.kind == TypeKind::array || std::ranges::any_of(type.members, [&](const Member& one) {
               return contains_array(types, one.type);
           });
}

// An upper bound of the parameters' bytes if all uniforms are passed by value.
std::uint64_t bytes_by_value(const Program& program) {
    std::uint64_t bytes = 2 * sizeof(Extent3);
    for (const VariableId id : program.bindings()) {
        const Variable& variable = program.variable(id);
        bytes += 2 * pointer_bytes;
        if (variable.space == AddressSpace::uniform)
            bytes += round_up(program.types()[variable.type].size, wrapped_alignment) + wrapped_alignment;
    }
    return bytes;
}

}  // namespace

CudaDialect::CudaDialect(const Program& program, const LowerTarget& target)
    : program_(program), target_(target), by_value_(bytes_by_value(program) <= most_parameter_bytes) {
    result_.workgroup_size = program.workgroup_size();
}

std::uint32_t CudaDialect::add_parameter(std::string text, std::uint64_t bytes, std::uint32_t align) {
    parameters_.push_back(std::move(text));
    const auto offset = static_cast<std::uint32_t>(round_up(result_.parameter_bytes, align));
    // Parameters that don't fit are refused at the end; until then the sum mustn't wrap.
    result_.parameter_bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(offset + bytes, UINT32_MAX / 2));
    return offset;
}

bool CudaDialect::declare_binding(c_text::Kernel& kernel, const c_text::Binding& binding) {
    if (program_.variable(binding.variable).space == AddressSpace::uniform)
        return declare_uniform(kernel, binding);
    declare_storage(binding);
    return true;
}

void CudaDialect::declare_storage(const c_text::Binding& binding) {
    Parameter made{.kind = ParameterKind::storage};
    made.offset = add_parameter(fmt::format("{}{}* {}{}", binding.is_const ? "const " : "", binding.type,
                                            binding.is_restrict ? "__restrict__ " : "", binding.name),
                                pointer_bytes, pointer_bytes);
    if (!binding.length.empty()) {
        made.length_offset = add_parameter(fmt::format("const unsigned {}", binding.length), 4, 4);
        const RuntimeArray array = runtime_array(program_.types(), program_.variable(binding.variable).type);
        made.array_offset = array.offset;
        made.array_stride = array.stride;
    }
    result_.parameters.push_back(made);
}

bool CudaDialect::declare_uniform(c_text::Kernel& kernel, const c_text::Binding& binding) {
    const TypeId type = program_.variable(binding.variable).type;
    const std::string &name = binding.name, &of = binding.type;
    const std::uint64_t bytes = program_.types()[type].size;
    const std::uint32_t align = kernel.align(type);
    Parameter made{.kind = ParameterKind::uniform_memory};
    const bool is_small = bytes <= most_value_bytes && !contains_array(program_.types(), type);
    if (by_value_ && !target_.dispatched) {
        made.kind = ParameterKind::uniform_value;
        made.offset = made.value_offset = add_parameter(fmt::format("const {} {}", of, name), bytes, align);
    } else if (by_value_ && is_small) {
        made.kind = ParameterKind::uniform_either;
        (void)kernel.call("uniform");
        const std::string given = kernel.unique_name(name + "_given");
        const std::uint32_t whole = std::max(align, pointer_bytes);
        const std::uint64_t value_at = round_up(pointer_bytes, align);
        made.offset = add_parameter(fmt::format("const uniform<{}> {}", of, given),
                                    round_up(value_at + bytes, whole), whole);
        made.value_offset = made.offset + static_cast<std::uint32_t>(value_at);
        kernel.line(fmt::format("const {0} {1} = {2}.memory ? *{2}.memory : {2}.value;", of, name, given));
    } else {
        made.offset =
            add_parameter(fmt::format("const {}* __restrict__ {}", of, name), pointer_bytes, pointer_bytes);
    }
    const bool is_pointer = made.kind == ParameterKind::uniform_memory;
    if (!is_pointer) made.value_bytes = static_cast<std::uint32_t>(bytes);
    result_.parameters.push_back(made);
    return is_pointer;
}

void CudaDialect::declare_parameters(c_text::Kernel& kernel) {
    declare_grid(kernel);
    declare_warp(kernel);
    declare_grid_barrier(kernel);
    const std::uint64_t bytes = program_.needs().workgroup_bytes;
    const std::uint64_t ours = running_.empty() ? 0 : running_bytes;
    if (bytes + ours > most_static_shared_bytes) {
        result_.dynamic_shared_bytes = static_cast<std::uint32_t>(bytes);
    } else {
        result_.static_shared_bytes = bytes;
    }
}

// The last warp of a block may have fewer threads than others.
void CudaDialect::declare_warp(c_text::Kernel& kernel) {
    const std::uint64_t threads = program_.workgroup_size().count(), last = threads % warp_size;
    if (!program_.needs().subgroups || last == 0) return;
    warp_ = kernel.unique_name("warp");
    kernel.line(fmt::format("const unsigned {} = ({}) / {}u < {}u ? ~0u : {}u;", warp_,
                            kernel.invocation_index(), warp_size, threads / warp_size, (1u << last) - 1));
}

void CudaDialect::declare_grid(c_text::Kernel& kernel) {
    if (!target_.dispatched) return;
    if (kernel.uses(Builtin::workgroup_id) || kernel.uses(Builtin::global_invocation_id)) {
        origin_ = kernel.unique_name("origin");
        result_.origin_offset = add_parameter(fmt::format("const uint3 {}", origin_), 12, 4);
    }
    if (kernel.uses(Builtin::num_workgroups)) {
        grid_ = kernel.unique_name("grid");
        result_.grid_offset = add_parameter(fmt::format("const uint3 {}", grid_), 12, 4);
    }
}

}  // namespace muster::cuda
