#include <algorithm>
#include <span>

#include <muster/foundation/ir/program_data.hpp>

namespace muster {
namespace {

/// The nodes without what is known of control flow at operations of subgroups: that
/// says nothing about results.
std::vector<Node> without_flow(std::vector<Node> nodes) {
    for (Node& node : nodes)
        if (info(node.op).group == OpGroup::subgroup) node.payload = 0;
    return nodes;
}
bool has_subgroup_operations(const std::vector<Node>& nodes) {
    return std::ranges::any_of(nodes,
                               [](const Node& node) { return info(node.op).group == OpGroup::subgroup; });
}

// Each function names all members of its structure, so that adding one doesn't compile until it is hashed,
// or left out for a reason.

void hash_extent(Hasher& hash, const Extent3& extent) {
    const auto& [x, y, z] = extent;
    for (const std::uint32_t size : {x, y, z}) hash.number(size);
}

/// The needs that a program states itself: the rest is counted from the other arenas.
void hash_needs(Hasher& hash, const ProgramNeeds& needs) {
    const auto& [workgroup_size, workgroup_bytes, private_bytes, storage_bindings, uniform_bindings, scalars,
                 wide_atomics, subgroups, subgroup_size] = needs;
    (void)workgroup_size, (void)workgroup_bytes, (void)private_bytes, (void)storage_bindings;
    (void)uniform_bindings, (void)scalars, (void)wide_atomics, (void)subgroups;
    hash.number(subgroup_size);
}

void hash_type(Hasher& hash, const Type& type) {
    const auto& [kind, scalar, width, element, count, size, align, stride, words, scalars, contains_atomic,
                 contains_bool, contains_f16, least_bytes, contains_runtime_array, type_name, members] = type;
    (void)words, (void)scalars, (void)contains_atomic, (void)contains_bool;  // summed up of the parts
    (void)contains_f16, (void)least_bytes, (void)contains_runtime_array;
    (void)type_name;
    for (std::uint64_t value :
         {std::uint64_t{static_cast<std::uint8_t>(kind)}, std::uint64_t{static_cast<std::uint8_t>(scalar)},
          std::uint64_t{width}, std::uint64_t{element.index}, std::uint64_t{count}, size,
          std::uint64_t{align}, stride, std::uint64_t{members.size()}})
        hash.number(value);
    for (const Member& member : members) {
        const auto& [member_name, of, offset] = member;
        (void)member_name;
        hash.number(of.index);
        hash.number(offset);
    }
}

void hash_variable(Hasher& hash, const Variable& variable) {
    const auto& [variable_name, type, space, access, group, binding, initial, location, is_read, is_written] =
        variable;
    (void)location, (void)is_read, (void)is_written;  // these two follow from the nodes
    hash.number(static_cast<std::uint64_t>(space));
    hash.number(type.index);
    hash.number(initial.index);
    if (!variable.is_binding()) return;
    hash.text(variable_name);
    hash.number(static_cast<std::uint64_t>(access));
    hash.number(group);
    hash.number(binding);
}

}  // namespace

// Leaves out the names of structures, members and locals; includes those of bindings, because hosts bind by
// name.
Fingerprint fingerprint_of(const ProgramData& data) {
    const auto& [entry, workgroup_size, types, nodes, operands, node_blocks, words, blocks, block_nodes, body,
                 variables, bindings, extensions, locations, names, files, required_ops, needs, fingerprint] =
        data;
    (void)bindings, (void)required_ops;  // follow from the variables and nodes
    (void)locations, (void)names, (void)files, (void)fingerprint;
    Hasher hash;
    hash.text(entry);
    hash_extent(hash, workgroup_size);
    hash_needs(hash, needs);
    hash.number(types.count());
    for (std::uint32_t i = fixed_type_count; i < types.count(); ++i) hash_type(hash, types[TypeId{i}]);
    hash.number(variables.size());
    for (const Variable& variable : variables) hash_variable(hash, variable);
    hash.number(extensions.size());
    for (const std::string& extension : extensions) hash.text(extension);
    const auto array = [&]<class T>(const std::vector<T>& values) { hash.array(std::span(values)); };
    array(has_subgroup_operations(nodes) ? without_flow(nodes) : nodes);
    array(operands);
    array(node_blocks);
    array(words);
    array(blocks);
    array(block_nodes);
    hash.number(body.index);
    return hash.digest();
}

}  // namespace muster
