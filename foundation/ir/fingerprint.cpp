#include <algorithm>
#include <span>

#include <muster/foundation/ir/program_data.hpp>

namespace muster {
namespace {

/// The nodes without what is known of control flow at operations of subgroups: that says nothing about results.
std::vector<Node> without_flow(std::vector<Node> nodes) {
    for (Node& node : nodes)
        if (info(node.op).group == OpGroup::subgroup) node.payload = 0;
    return nodes;
}
bool has_subgroup_operations(const std::vector<Node>& nodes) {
    return std::ranges::any_of(nodes,
                               [](const Node& node) { return info(node.op).group == OpGroup::subgroup; });
}

}  // namespace

// Leaves out the names of structures, members and locals; includes those of bindings, because hosts bind by
// name.
Fingerprint fingerprint_of(const ProgramData& data) {
    Hasher hash;
    hash.text(data.entry);
    hash.number(data.workgroup_size.x);
    hash.number(data.workgroup_size.y);
    hash.number(data.workgroup_size.z);
    hash.number(data.needs.subgroup_size);
    hash.number(data.types.count());
    for (std::uint32_t i = fixed_type_count; i < data.types.count(); ++i) {
        const Type& type = data.types[TypeId{i}];
        for (std::uint64_t value :
             {std::uint64_t{static_cast<std::uint8_t>(type.kind)},
              std::uint64_t{static_cast<std::uint8_t>(type.scalar)}, std::uint64_t{type.width},
              std::uint64_t{type.element.index}, std::uint64_t{type.count}, type.size,
              std::uint64_t{type.align}, type.stride, std::uint64_t{type.members.size()}})
            hash.number(value);
        for (const Member& member : type.members) {
            hash.number(member.type.index);
            hash.number(member.offset);
        }
    }
    hash.number(data.variables.size());
    for (const Variable& variable : data.variables) {
        hash.number(static_cast<std::uint64_t>(variable.space));
        hash.number(variable.type.index);
        hash.number(variable.initial.index);
        if (!variable.is_binding()) continue;
        hash.text(variable.name);
        hash.number(static_cast<std::uint64_t>(variable.access));
        hash.number(variable.group);
        hash.number(variable.binding);
    }
    hash.number(data.extensions.size());
    for (const std::string& extension : data.extensions) hash.text(extension);
    const auto array = [&]<class T>(const std::vector<T>& values) { hash.array(std::span(values)); };
    array(has_subgroup_operations(data.nodes) ? without_flow(data.nodes) : data.nodes);
    array(data.operands);
    array(data.node_blocks);
    array(data.words);
    array(data.blocks);
    array(data.block_nodes);
    hash.number(data.body.index);
    return hash.digest();
}

}  // namespace muster
