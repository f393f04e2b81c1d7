#include <fmt/format.h>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/validate/layout.hpp>

namespace muster::validation {
namespace {

constexpr std::uint64_t uniform_align = 16;

std::uint64_t required_align(const Type& type) {
    const bool composite = type.kind == TypeKind::array || type.kind == TypeKind::structure;
    return composite ? round_up(type.align, uniform_align) : type.align;
}

// True if `type` contains a run-time array that is neither the whole type nor its last member.
bool misplaces_runtime_array(const TypeTable& types, const Type& type) {
    const auto inside = [&](TypeId part) { return types[part].contains_runtime_array; };
    if (type.kind == TypeKind::array) return inside(type.element);
    for (std::size_t i = 0; i < type.members.size(); ++i) {
        const Type& member = types[type.members[i].type];
        const bool last = i + 1 == type.members.size();
        const bool ends_in_one = last && member.is_runtime_array();
        if (ends_in_one ? inside(member.element) : member.contains_runtime_array) return true;
    }
    return false;
}

// The layout rules of uniform buffers. Each type is checked once, however many members have it.
class UniformLayout {
  public:
    explicit UniformLayout(const TypeTable& types) : types_(types), seen_(types.count(), false) {}
    std::optional<LayoutFault> fault(TypeId id);

  private:
    std::optional<LayoutFault> member_fault(const Type& structure, std::size_t index);
    const TypeTable& types_;
    std::vector<bool> seen_;
};

std::optional<LayoutFault> UniformLayout::member_fault(const Type& structure, std::size_t index) {
    const Member& member = structure.members[index];
    const Type& type = types_[member.type];
    const std::uint64_t align = required_align(type);
    if (member.offset % align != 0)
        return LayoutFault{
            fmt::format("member \"{}\" of {} starts at byte {}, no multiple of {}", member.name,
                        structure.name, member.offset, align),
            fmt::format("put @align({}) on the member, or move the variable to storage", align)};
    if (type.kind == TypeKind::structure && index + 1 < structure.members.size()) {
        const std::uint64_t room = structure.members[index + 1].offset - member.offset;
        const std::uint64_t needed = round_up(type.size, uniform_align);
        if (room < needed)
            return LayoutFault{
                fmt::format("member \"{}\" of {} follows structure \"{}\" by {} bytes, fewer than {}",
                            structure.members[index + 1].name, structure.name, member.name, room, needed),
                "put @align(16) on the later member"};
    }
    return fault(member.type);
}

std::optional<LayoutFault> UniformLayout::fault(TypeId id) {
    if (seen_[id.index]) return {};
    seen_[id.index] = true;
    const Type& type = types_[id];
    if (type.kind == TypeKind::array) {
        const std::uint64_t align = round_up(required_align(types_[type.element]), uniform_align);
        if (type.stride % align != 0)
            return LayoutFault{
                fmt::format("{} has a stride of {} bytes, no multiple of {}", types_.name(id), type.stride,
                            align),
                "make the elements vec4s or structures of 16 bytes, or move the variable to storage"};
        return fault(type.element);
    }
    for (std::size_t i = 0; i < type.members.size(); ++i)
        if (auto found = member_fault(type, i)) return found;
    return {};
}

std::optional<LayoutFault> bool_fault(const TypeTable& types, TypeId type) {
    if (!types.contains_bool(type)) return {};
    return LayoutFault{"it holds a bool, which has no layout outside the program",
                       "use a u32, 0 or 1, in its place"};
}

}  // namespace

std::optional<LayoutFault> fixed_footprint_fault(const TypeTable& types, TypeId type) {
    if (types[type].kind == TypeKind::none)
        return LayoutFault{"it has no type", "give it a scalar, vector, array or structure type"};
    if (!types.has_runtime_array(type)) return {};
    return LayoutFault{"its size isn't known before the program runs", "give the array a constant length"};
}

std::optional<LayoutFault> constructible_fault(const TypeTable& types, TypeId type) {
    if (types.contains_atomic(type))
        return LayoutFault{"it holds an atomic", "move it to workgroup or storage memory"};
    return fixed_footprint_fault(types, type);
}

std::optional<LayoutFault> storage_fault(const TypeTable& types, TypeId type) {
    if (types[type].kind == TypeKind::none) return fixed_footprint_fault(types, type);
    if (misplaces_runtime_array(types, types[type]))
        return LayoutFault{"an array sized at run time stands inside it",
                           "make that array the whole variable, or the last member of its structure"};
    return bool_fault(types, type);
}

std::optional<LayoutFault> uniform_fault(const TypeTable& types, TypeId type) {
    if (auto fault = constructible_fault(types, type)) return fault;
    if (auto fault = bool_fault(types, type)) return fault;
    return UniformLayout(types).fault(type);
}

}  // namespace muster::validation
