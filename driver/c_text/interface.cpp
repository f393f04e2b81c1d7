// Bindings and built-in values.
#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/c_text/lowering.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::c_text {
namespace {

/// True if the program has barriers: an invocation may then see what others write.
bool has_barriers(const Program& program) {
    const auto is_barrier = [&](NodeId node) {
        return info(program.node(node).op).group == OpGroup::sync || is_grid_barrier(program, node);
    };
    return std::ranges::any_of(program.block(program.body()),
                               [&](NodeId node) { return any_within(program, node, is_barrier); });
}

}  // namespace

void Lowering::name_variables() {
    for (const VariableId id : program_.bindings())
        root(id).name = names_.unique_name(program_.variable(id).name);
    for (std::uint32_t i = 0; i < roots_.size(); ++i)
        if (roots_[i].name.empty()) roots_[i].name = names_.unique_name(program_.variables()[i].name);
}

// A binding that is written isn't `restrict` in a program with barriers: a compiler would reuse a value
// loaded before a barrier. One that nobody writes is.
void Lowering::declare_bindings() {
    const bool shares_memory = has_barriers(program_);
    for (const VariableId id : program_.bindings()) {
        const Variable& variable = program_.variable(id);
        const Type& type = types_[variable.type];
        Root& from = root(id);
        const bool is_only_array = types_.is_only_array(variable.type);
        const TypeId element = is_only_array ? types_[type.members[0].type].element : type.element;
        Binding binding{.variable = id, .name = from.name};
        binding.type = type.is_runtime_array() || is_only_array ? types_.element_name(element)
                                                                : types_.name(variable.type);
        binding.is_const = !variable.is_written;
        binding.is_restrict = !variable.is_written || !shares_memory;
        if (type.contains_runtime_array)
            binding.length = from.length = names_.unique_name(from.name + "_length");
        from.is_pointer = dialect_.declare_binding(*this, binding) && !type.is_runtime_array();
        if (type.contains_runtime_array) declare_array(id);
    }
}

// Declares a pointer to the start of a binding's run-time array.
void Lowering::declare_array(VariableId id) {
    Root& from = root(id);
    const TypeId type_id = program_.variable(id).type;
    const Type& type = types_[type_id];
    from.array = from.name;
    if (type.is_runtime_array() || types_.is_only_array(type_id)) return;
    const Member& last = type.members.back();
    const std::string element = qualifiers(id) + types_.element_name(types_[last.type].element);
    from.array = names_.unique_name(fmt::format("{}_{}", from.name, last.name));
    const Expression bytes = syntax_.pointer_cast(qualifiers(id) + "char*", {from.name});
    const Expression start{fmt::format("{} + {}", bytes.text, last.offset), Precedence::sum};
    line(fmt::format("{}* const {} = {};", element, from.array,
                     syntax_.pointer_cast(element + "*", start).text));
}

bool Lowering::uses(Builtin which) const {
    for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
        const Node& node = program_.node({i});
        if (node.op == Op::builtin && node.payload == static_cast<std::uint32_t>(which)) return true;
    }
    return false;
}

void Lowering::declare_builtins() {
    for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
        const Node& node = program_.node({i});
        if (node.op != Op::builtin || !builtins_[node.payload].empty()) continue;
        const auto which = static_cast<Builtin>(node.payload);
        const std::string_view named = program_.name({i});
        builtins_[node.payload] = names_.unique_name(named.empty() ? muster::name(which) : named);
        line(fmt::format("const {} {} = {};", types_.name(node.type), builtins_[node.payload],
                         builtin_text(which)));
    }
}

std::string Lowering::invocation_index() const {
    const Extent3 size = program_.workgroup_size();
    std::string text;
    const auto add = [&](char axis, std::uint64_t step) {
        text += (text.empty() ? "" : " + ") + local_id(axis);
        if (step > 1) text += fmt::format(" * {}u", step);
    };
    if (size.x > 1 || size.count() == 1) add('x', 1);
    if (size.y > 1) add('y', size.x);
    if (size.z > 1) add('z', std::uint64_t{size.x} * size.y);
    return text;
}

std::string Lowering::local_id(char axis) const {
    return parenthesised(dialect_.id(Builtin::local_invocation_id, axis), Precedence::prefix);
}

// Subgroups are numbered by local_invocation_index, and so are the invocations in each.
std::string Lowering::subgroup_value(Builtin which) const {
    const std::uint64_t size = request_.options.subgroup_size, count = program_.workgroup_size().count();
    if (which == Builtin::subgroup_size) return fmt::format("{}u", size);
    if (which == Builtin::num_subgroups) return fmt::format("{}u", round_up(count, size) / size);
    return fmt::format("({}) {} {}u", invocation_index(), which == Builtin::subgroup_id ? '/' : '%', size);
}

std::string Lowering::builtin_text(Builtin which) {
    if (which == Builtin::local_invocation_index) return invocation_index();
    const Extent3 size = program_.workgroup_size();
    if (is_of_subgroups(which)) return subgroup_value(which);
    const auto global = [&](char axis, std::uint32_t count) {
        const Expression workgroup = dialect_.id(Builtin::workgroup_id, axis);
        if (count == 1) return workgroup.text;
        return fmt::format("{} * {}u + {}", parenthesised(workgroup, Precedence::product), count,
                           local_id(axis));
    };
    std::vector<std::string> parts;
    if (which == Builtin::global_invocation_id) {
        parts = {global('x', size.x), global('y', size.y), global('z', size.z)};
    } else {
        std::string whole = dialect_.whole_id(which);
        if (!whole.empty()) return whole;
        for (const char axis : {'x', 'y', 'z'}) parts.push_back(dialect_.id(which, axis).text);
    }
    return types_.composed(type_of(Scalar::u32, 3), parts);
}

}  // namespace muster::c_text
