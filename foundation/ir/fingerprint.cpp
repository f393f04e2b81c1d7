#include <algorithm>

#include <muster/foundation/ir/program_data.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace muster {
namespace {

class Hasher {
  public:
    Hasher() { XXH3_128bits_reset(&state_); }
    void number(std::uint64_t value) { XXH3_128bits_update(&state_, &value, sizeof value); }
    void text(std::string_view text) {
        number(text.size());
        XXH3_128bits_update(&state_, text.data(), text.size());
    }
    template <class T>
    void array(const std::vector<T>& values) {
        static_assert(std::has_unique_object_representations_v<T>);
        number(values.size());
        XXH3_128bits_update(&state_, values.data(), values.size() * sizeof(T));
    }
    Fingerprint result() const {
        const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
        return {hash.high64, hash.low64};
    }

  private:
    XXH3_state_t state_;
};

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
    if (data.needs.subgroup_size != 0) hash.number(data.needs.subgroup_size);
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
    for (const std::string& extension : data.extensions) hash.text(extension);
    hash.array(has_subgroup_operations(data.nodes) ? without_flow(data.nodes) : data.nodes);
    hash.array(data.operands);
    hash.array(data.node_blocks);
    hash.array(data.words);
    hash.array(data.blocks);
    hash.array(data.block_nodes);
    return hash.result();
}

}  // namespace muster
