// Kernel parameters and built-in values.
#include <algorithm>

#include <fmt/format.h>

#include <muster/backend-cuda/lowering/lowering.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/place.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cuda {
namespace {

constexpr std::uint32_t pointer_bytes = 8;

/// True if the program has barriers: an invocation may then see what others write.
bool has_barriers(const Program& program) {
    const auto is_barrier = [&](NodeId node) {
        return info(program.node(node).op).group == OpGroup::sync || is_grid_barrier(program, node);
    };
    return std::ranges::any_of(program.block(program.body()),
                               [&](NodeId node) { return any_within(program, node, is_barrier); });
}

bool contains_array(const TypeTable& types, TypeId id) {
    const Type& type = types[id];
    return type.kind == TypeKind::array || std::ranges::any_of(type.members, [&](const Member& one) {
               return contains_array(types, one.type);
           });
}

}  // namespace

void Lowering::name_variables() {
    for (const VariableId id : program_.bindings())
        root(id).name = names_.unique_name(program_.variable(id).name);
    for (std::uint32_t i = 0; i < roots_.size(); ++i)
        if (roots_[i].name.empty()) roots_[i].name = names_.unique_name(program_.variables()[i].name);
}

std::uint32_t Lowering::add_parameter(std::string text, std::uint64_t bytes, std::uint32_t align) {
    parameters_.push_back(std::move(text));
    const auto offset = static_cast<std::uint32_t>(round_up(result_.parameter_bytes, align));
    // Parameters that don't fit are refused at the end; until then the sum mustn't wrap.
    result_.parameter_bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(offset + bytes, UINT32_MAX / 2));
    return offset;
}

// An upper bound of the parameters' bytes if all uniforms are passed by value.
std::uint64_t Lowering::bytes_by_value() const {
    std::uint64_t bytes = 2 * sizeof(Extent3);
    for (const VariableId id : program_.bindings()) {
        const Variable& variable = program_.variable(id);
        bytes += 2 * pointer_bytes;
        if (variable.space == AddressSpace::uniform) bytes += 16 + round_up(types_.size(variable.type), 16);
    }
    return bytes;
}

void Lowering::declare_interface() {
    const bool by_value = bytes_by_value() <= most_parameter_bytes;
    shares_memory_ = has_barriers(program_);
    for (const VariableId id : program_.bindings()) {
        if (program_.variable(id).space == AddressSpace::storage) {
            declare_storage(id);
        } else {
            declare_uniform(id, by_value);
        }
    }
    declare_grid();
    declare_grid_barrier();
    declare_builtins();
}

// A written binding of a program with barriers isn't __restrict__: that would promise the compiler that nobody
// else writes it, and NVRTC would reuse a value loaded before a barrier. Bindings that nobody writes keep it.
void Lowering::declare_storage(VariableId id) {
    const Variable& variable = program_.variable(id);
    const Type& type = types_[variable.type];
    Root& from = root(id);
    from.is_pointer = !type.is_runtime_array();
    const bool is_only_array = types_.is_only_array(variable.type);
    const TypeId element = is_only_array ? types_[type.members[0].type].element : type.element;
    const std::string of =
        type.is_runtime_array() || is_only_array ? types_.element_name(element) : types_.name(variable.type);
    const std::string constant = variable.is_written ? "" : "const ";
    const std::string restrict_ = variable.is_written && shares_memory_ ? "" : "__restrict__ ";
    Parameter made{.kind = ParameterKind::storage};
    made.offset = add_parameter(fmt::format("{}{}* {}{}", constant, of, restrict_, from.name), pointer_bytes,
                                pointer_bytes);
    if (type.contains_runtime_array) {
        from.length = names_.unique_name(from.name + "_length");
        made.length_offset = add_parameter(fmt::format("const unsigned {}", from.length), 4, 4);
        const RuntimeArray array = runtime_array(program_.types(), variable.type);
        made.array_offset = 4 * array.offset;
        made.array_stride = 4 * array.stride;
        declare_array(id, constant);
    }
    result_.parameters.push_back(made);
}

// Declares a pointer to the start of a binding's run-time array.
void Lowering::declare_array(VariableId id, const std::string& constant) {
    Root& from = root(id);
    const TypeId type_id = program_.variable(id).type;
    const Type& type = types_[type_id];
    from.array = from.name;
    if (type.is_runtime_array() || types_.is_only_array(type_id)) return;
    const Member& last = type.members.back();
    const std::string element = types_.element_name(types_[last.type].element);
    from.array = names_.unique_name(fmt::format("{}_{}", from.name, last.name));
    writer_.line(
        fmt::format("{0}{1}* const {2} = reinterpret_cast<{0}{1}*>(reinterpret_cast<{0}char*>({3}) + {4});",
                    constant, element, from.array, from.name, last.offset));
}

void Lowering::declare_uniform(VariableId id, bool by_value) {
    const TypeId type = program_.variable(id).type;
    Root& from = root(id);
    const std::string name = types_.name(type);
    const std::uint64_t bytes = types_.size(type);
    const std::uint32_t align = types_.align(type);
    Parameter made{.kind = ParameterKind::uniform_memory};
    const bool is_small = bytes <= most_value_bytes && !contains_array(program_.types(), type);
    if (by_value && !target_.dispatched) {
        made.kind = ParameterKind::uniform_value;
        made.offset = made.value_offset =
            add_parameter(fmt::format("const {} {}", name, from.name), bytes, align);
    } else if (by_value && is_small) {
        made.kind = ParameterKind::uniform_either;
        prelude_.require("uniform");
        const std::string given = names_.unique_name(from.name + "_given");
        const std::uint32_t whole = std::max(align, pointer_bytes);
        const std::uint64_t value_at = round_up(pointer_bytes, align);
        made.offset = add_parameter(fmt::format("const uniform<{}> {}", name, given),
                                    round_up(value_at + bytes, whole), whole);
        made.value_offset = made.offset + static_cast<std::uint32_t>(value_at);
        writer_.line(
            fmt::format("const {0} {1} = {2}.memory ? *{2}.memory : {2}.value;", name, from.name, given));
    } else {
        from.is_pointer = true;
        made.offset = add_parameter(fmt::format("const {}* __restrict__ {}", name, from.name), pointer_bytes,
                                    pointer_bytes);
    }
    if (made.kind != ParameterKind::uniform_memory) made.value_bytes = static_cast<std::uint32_t>(bytes);
    result_.parameters.push_back(made);
}

bool Lowering::uses(Builtin which) const {
    for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
        const Node& node = program_.node({i});
        if (node.op == Op::builtin && node.payload == static_cast<std::uint32_t>(which)) return true;
    }
    return false;
}

void Lowering::declare_grid() {
    if (!target_.dispatched) return;
    if (uses(Builtin::workgroup_id) || uses(Builtin::global_invocation_id)) {
        origin_ = names_.unique_name("origin");
        result_.origin_offset = add_parameter(fmt::format("const uint3 {}", origin_), 12, 4);
    }
    if (uses(Builtin::num_workgroups)) {
        grid_ = names_.unique_name("grid");
        result_.grid_offset = add_parameter(fmt::format("const uint3 {}", grid_), 12, 4);
    }
}

void Lowering::declare_builtins() {
    for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
        const Node& node = program_.node({i});
        if (node.op != Op::builtin || !builtins_[node.payload].empty()) continue;
        const auto which = static_cast<Builtin>(node.payload);
        const std::string_view named = program_.name({i});
        builtins_[node.payload] = names_.unique_name(named.empty() ? name(which) : named);
        writer_.line(fmt::format("const {} {} = {};",
                                 which == Builtin::local_invocation_index ? "unsigned" : "uint3",
                                 builtins_[node.payload], builtin_text(which)));
    }
}

std::string Lowering::invocation_index() const {
    const Extent3 size = program_.workgroup_size();
    std::string text;
    const auto add = [&](const char* axis, std::uint64_t step) {
        text += fmt::format("{}threadIdx.{}", text.empty() ? "" : " + ", axis);
        if (step > 1) text += fmt::format(" * {}u", step);
    };
    if (size.x > 1 || size.count() == 1) add("x", 1);
    if (size.y > 1) add("y", size.x);
    if (size.z > 1) add("z", std::uint64_t{size.x} * size.y);
    return text;
}

std::string Lowering::builtin_text(Builtin which) const {
    const Extent3 size = program_.workgroup_size();
    const auto workgroup = [&](char axis) {
        return origin_.empty() ? fmt::format("blockIdx.{}", axis)
                               : fmt::format("{0}.{1} + blockIdx.{1}", origin_, axis);
    };
    const auto global = [&](char axis, std::uint32_t count) {
        if (count == 1) return workgroup(axis);
        const std::string id = origin_.empty() ? workgroup(axis) : "(" + workgroup(axis) + ")";
        return fmt::format("{} * {}u + threadIdx.{}", id, count, axis);
    };
    switch (which) {
        case Builtin::global_invocation_id:
            return fmt::format("make_uint3({}, {}, {})", global('x', size.x), global('y', size.y),
                               global('z', size.z));
        case Builtin::local_invocation_id: return "threadIdx";
        case Builtin::local_invocation_index: return invocation_index();
        case Builtin::workgroup_id:
            return origin_.empty() ? "blockIdx"
                                   : fmt::format("make_uint3({}, {}, {})", workgroup('x'), workgroup('y'),
                                                 workgroup('z'));
        case Builtin::num_workgroups:
            return grid_.empty() ? "make_uint3(gridDim.x, gridDim.y, gridDim.z)" : grid_;
    }
    return "";
}

}  // namespace muster::cuda
