#include <algorithm>
#include <ranges>

#include <muster/foundation/interpreter/layout.hpp>

namespace muster::interpreter {
namespace {

constexpr std::size_t max_segments = std::size_t{1} << 22;

std::uint64_t member_offset(const TypeTable& types, const Type& structure, std::uint32_t which, bool packed) {
    if (!packed) return structure.members[which].offset / 4;
    std::uint64_t words = 0;
    for (std::uint32_t i = 0; i < which; ++i) words += types.scalar_words(structure.members[i].type);
    return words;
}

std::uint64_t element_stride(const TypeTable& types, const Type& of, bool packed) {
    if (of.kind != TypeKind::array) return 1;
    return packed ? types.scalar_words(of.element) : of.stride / 4;
}

// A constant index within bounds; count otherwise.
std::uint32_t constant_index(const Program& program, NodeId index, std::uint32_t count) {
    if (program.node(index).op != Op::constant) return count;
    const auto words = program.constant_words(index);
    return std::min(words.empty() ? 0 : words[0], count);
}

}  // namespace

Place resolve(const Program& program, NodeId reference) {
    std::vector<NodeId> chain;
    for (NodeId id = reference; program.node(id).op != Op::ref_variable; id = program.operand(id, 0))
        chain.push_back(id);
    Place place{program.root_variable(reference), 0, {}};
    const TypeTable& types = program.types();
    const Variable& variable = program.variable(place.variable);
    const bool packed = !variable.is_binding();
    TypeId type = variable.type;
    for (const NodeId id : std::views::reverse(chain)) {
        const Type& of = types[type];
        const Node& node = program.node(id);
        if (node.op == Op::ref_member) {
            place.offset += member_offset(types, of, node.payload, packed);
        } else {
            const std::uint32_t count = of.kind == TypeKind::array ? of.count : of.width;
            const std::uint64_t stride = element_stride(types, of, packed);
            const NodeId index = program.operand(id, 1);
            if (const std::uint32_t at = constant_index(program, index, count); at < count) {
                place.offset += at * stride;
            } else {
                place.steps.push_back({index, static_cast<std::uint32_t>(stride), count});
            }
        }
        type = node.type;
    }
    return place;
}

RuntimeArray runtime_array(const TypeTable& types, TypeId id) {
    const Type& type = types[id];
    if (type.is_runtime_array()) return {0, type.stride / 4};
    if (type.kind != TypeKind::structure || !types.has_runtime_array(id)) return {};
    RuntimeArray inner = runtime_array(types, type.members.back().type);
    inner.offset += type.members.back().offset / 4;
    return inner;
}

Result<std::uint32_t> Shapes::shape(TypeId type, bool packed) {
    for (const Known& known : known_)
        if (known.type == type && known.packed == packed) return known.shape;
    const auto first = static_cast<std::uint32_t>(code_.segments.size());
    const auto words = static_cast<std::uint32_t>(types_.scalar_words(type));
    if (packed) {
        code_.segments.push_back({0, 0, words});
    } else if (!add(type, 0, 0, first)) {
        return fail(
            ErrorCode::limit_exceeded,
            "A value of type " + types_.name(type) +
                " is loaded or stored as a whole; its padding parts it into more than 4194304 pieces.",
            "load and store its elements one by one.");
    }
    const auto shape = static_cast<std::uint32_t>(code_.shapes.size());
    code_.shapes.push_back({first, static_cast<std::uint32_t>(code_.segments.size()) - first, words});
    known_.push_back({type, packed, shape});
    return shape;
}

// Appends the pieces of a value in WGSL's layout; a piece that follows its predecessor on both sides
// lengthens it.
bool Shapes::add(TypeId id, std::uint64_t value, std::uint64_t memory, std::uint32_t first) {
    const Type& type = types_[id];
    if (type.kind == TypeKind::array) {
        const std::uint64_t words = types_.scalar_words(type.element);
        for (std::uint64_t i = 0; i < type.count; ++i)
            if (!add(type.element, value + i * words, memory + i * (type.stride / 4), first)) return false;
        return true;
    }
    if (type.kind == TypeKind::structure) {
        for (const Member& member : type.members) {
            if (!add(member.type, value, memory + member.offset / 4, first)) return false;
            value += types_.scalar_words(member.type);
        }
        return true;
    }
    auto& segments = code_.segments;
    if (segments.size() > first && segments.back().value + segments.back().count == value &&
        segments.back().memory + segments.back().count == memory) {
        segments.back().count += type.width;
        return true;
    }
    segments.push_back({static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(memory), type.width});
    return segments.size() < max_segments;
}

}  // namespace muster::interpreter
