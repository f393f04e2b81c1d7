#include <ranges>
#include <vector>

#include <muster/foundation/interpreter/layout.hpp>
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

std::string name_indexed(const Program& program, NodeId reference, std::size_t step, std::uint64_t at) {
    std::vector<NodeId> chain;
    for (NodeId id = reference; program.node(id).op != Op::ref_variable; id = program.operand(id, 0))
        chain.push_back(id);
    const TypeTable& types = program.types();
    const Variable& variable = program.variable(program.root_variable(reference));
    const Layout layout = layout_of(variable);
    const std::vector<PlaceStep> steps = resolve(program, reference, layout).steps;
    std::string name = variable.name;
    TypeId type = variable.type;
    std::size_t next = 0;
    for (const NodeId id : std::views::reverse(chain)) {
        const Type& of = types[type];
        const Node& node = program.node(id);
        type = node.type;
        if (node.op == Op::ref_member) {
            name += "." + of.members[node.payload].name;
            at -= member_offset(types, of, node.payload, layout);
            continue;
        }
        if (next < steps.size() && program.operand(id, 1) == steps[next].index) {
            if (next == step) break;
            ++next;
        }
        const std::uint64_t stride =
            layout == Layout::packed ? types.scalar_words(of.element) : std::uint64_t{of.stride};
        name += "[" + std::to_string(at / stride) + "]";
        at %= stride;
    }
    return name;
}

}  // namespace muster::interpreter
