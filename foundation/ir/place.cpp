#include <ranges>

#include <muster/foundation/ir/place.hpp>

namespace muster {
namespace {

// The step that an index makes: the number of elements it can select from, and the
// distance from one to the next.
PlaceStep step_into(const TypeTable& types, const Type& of, NodeId index, Layout layout) {
    const bool packed = layout == Layout::packed;
    if (of.kind != TypeKind::array)
        return {index, packed ? words_of(of.scalar) : info(of.scalar).bytes, of.width};
    return {index, packed ? types.scalar_words(of.element) : of.stride, of.count};
}

}  // namespace

std::uint64_t member_offset(const TypeTable& types, const Type& structure, std::uint32_t member,
                            Layout layout) {
    if (layout == Layout::host) return structure.members[member].offset;
    std::uint64_t before = 0;
    for (std::uint32_t m = 0; m < member; ++m) before += types.scalar_words(structure.members[m].type);
    return before;
}

std::optional<std::uint32_t> constant_word(const Program& program, NodeId value) {
    const Node& node = program.node(value);
    if (node.op != Op::constant || program.types()[node.type].kind != TypeKind::scalar) return {};
    const auto words = program.constant_words(value);
    return words.empty() ? 0 : words[0];
}

RuntimeArray runtime_array(const TypeTable& types, TypeId id) {
    const Type& type = types[id];
    if (type.is_runtime_array()) return {0, type.stride};
    if (type.kind != TypeKind::structure || !types.has_runtime_array(id)) return {};
    RuntimeArray inner = runtime_array(types, type.members.back().type);
    inner.offset += type.members.back().offset;
    return inner;
}

Place resolve(const Program& program, NodeId reference, Layout layout) {
    std::vector<NodeId> chain;
    for (NodeId id = reference; program.node(id).op != Op::ref_variable; id = program.operand(id, 0))
        chain.push_back(id);
    const TypeTable& types = program.types();
    Place place{.variable = program.root_variable(reference)};
    place.type = program.variable(place.variable).type;
    for (const NodeId id : std::views::reverse(chain)) {
        const Type& of = types[place.type];
        const Node& node = program.node(id);
        place.type = node.type;
        if (node.op == Op::ref_member) {
            place.offset += member_offset(types, of, node.payload, layout);
            continue;
        }
        const PlaceStep step = step_into(types, of, program.operand(id, 1), layout);
        if (const auto known = constant_word(program, step.index); known && *known < step.count)
            place.offset += *known * step.stride;
        else
            place.steps.push_back(step);
    }
    return place;
}

}  // namespace muster
