#include <muster/foundation/interpreter/place_name.hpp>

namespace muster::interpreter {
namespace {

class Namer {
  public:
    Namer(const TypeTable& types, const Variable& variable)
        : types_(types), packed_(!variable.is_binding()), name_{variable.name, -1} {}

    PlaceName name(TypeId id, std::uint64_t at) && {
        for (const Type* type = &types_[id]; type->kind != TypeKind::none; type = &types_[id]) {
            if (type->kind == TypeKind::array) {
                id = element(*type, at);
            } else if (type->kind == TypeKind::structure) {
                id = member(*type, at);
            } else {
                if (type->kind == TypeKind::vector)
                    name_.text +=
                        std::string(".") + "xyzw"[(packed_ ? at : at / info(type->scalar).bytes) & 3];
                break;
            }
        }
        return std::move(name_);
    }

  private:
    TypeId element(const Type& array, std::uint64_t& at) {
        const std::uint64_t stride = packed_ ? types_.scalar_words(array.element) : array.stride;
        if (stride == 0) return no_type;
        if (name_.index < 0) name_.index = static_cast<std::int64_t>(at / stride);
        name_.text += "[" + std::to_string(at / stride) + "]";
        at %= stride;
        return array.element;
    }

    TypeId member(const Type& structure, std::uint64_t& at) {
        std::uint64_t first = 0;
        for (std::size_t m = 0; m < structure.members.size(); ++m) {
            const bool is_last = m + 1 == structure.members.size();
            const std::uint64_t behind = is_last   ? UINT64_MAX
                                         : packed_ ? first + types_.scalar_words(structure.members[m].type)
                                                   : structure.members[m + 1].offset;
            if (at < behind) {
                name_.text += "." + structure.members[m].name;
                at -= first;
                return structure.members[m].type;
            }
            first = behind;
        }
        return no_type;
    }

    const TypeTable& types_;
    bool packed_;
    PlaceName name_;
};

}  // namespace

PlaceName name_place(const TypeTable& types, const Variable& variable, std::uint64_t at) {
    return Namer(types, variable).name(variable.type, at);
}

}  // namespace muster::interpreter
