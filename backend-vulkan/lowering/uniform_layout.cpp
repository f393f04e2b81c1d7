#include <vector>

#include <muster/backend-vulkan/lowering/uniform_layout.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::vulkan {
namespace {

constexpr std::uint64_t least_align = 16;  // of arrays and structures

std::uint64_t extended_align(const Type& type) {
    const bool is_composite = type.kind == TypeKind::array || type.kind == TypeKind::structure;
    return is_composite ? round_up(type.align, least_align) : type.align;
}

// Each type is checked once, however many members have it.
bool fits(const TypeTable& types, TypeId id, std::vector<bool>& seen) {
    if (seen[id.index]) return true;
    seen[id.index] = true;
    const Type& type = types[id];
    if (type.kind == TypeKind::array)
        return type.stride % round_up(extended_align(types[type.element]), least_align) == 0 &&
               fits(types, type.element, seen);
    for (std::size_t i = 0; i < type.members.size(); ++i) {
        const Member& member = type.members[i];
        const Type& of = types[member.type];
        if (member.offset % extended_align(of) != 0 || !fits(types, member.type, seen)) return false;
        const bool is_followed = of.kind == TypeKind::structure && i + 1 < type.members.size();
        if (is_followed && type.members[i + 1].offset - member.offset < round_up(of.size, least_align))
            return false;
    }
    return true;
}

}  // namespace

bool fits_uniform_buffer(const TypeTable& types, TypeId type) {
    std::vector<bool> seen(types.count(), false);
    return fits(types, type, seen);
}

}  // namespace muster::vulkan
