#include <muster/foundation/validate/layout.hpp>

namespace muster::validation {
namespace {

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
    return bool_fault(types, type);
}

}  // namespace muster::validation
