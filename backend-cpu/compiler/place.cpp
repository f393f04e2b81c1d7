#include <algorithm>

#include <muster/backend-cpu/compiler/place.hpp>

namespace muster::cpu {
namespace {

void append_words(const TypeTable& types, TypeId id, std::uint64_t at, std::vector<TypeWord>& words) {
    const Type& type = types[id];
    switch (type.kind) {
        case TypeKind::none: return;
        case TypeKind::scalar:
        case TypeKind::vector:
        case TypeKind::atomic:
            for (std::uint32_t k = 0; k < type.width; ++k) words.push_back({at + 4 * k, type.scalar});
            return;
        case TypeKind::array:
            for (std::uint64_t k = 0; k < type.count; ++k)
                append_words(types, type.element, at + k * type.stride, words);
            return;
        case TypeKind::structure:
            for (const Member& member : type.members)
                append_words(types, member.type, at + member.offset, words);
            return;
    }
}

}  // namespace

std::optional<std::uint32_t> constant_word(const Program& program, NodeId value) {
    const Node& node = program.node(value);
    if (node.op != Op::constant || program.types()[node.type].kind != TypeKind::scalar) return {};
    const auto words = program.constant_words(value);
    return words.empty() ? 0 : words[0];
}

std::vector<NodeId> find_tables(const Program& program) {
    const auto variables = program.variables();
    std::vector<NodeId> tables(variables.size());
    std::vector<bool> declared(variables.size(), false);
    const auto note = [&](std::uint32_t variable, NodeId initial) {
        const Node& node = program.node(initial);
        const bool is_constant = node.op == Op::constant && node.payload != zero_constant;
        if (is_constant && !variables[variable].is_written) tables[variable] = initial;
    };
    for (std::uint32_t v = 0; v < variables.size(); ++v)
        if (variables[v].initial) note(v, variables[v].initial);
    for (NodeId id{0}; id.index < program.node_count(); ++id.index) {
        const Node& node = program.node(id);
        if (node.op != Op::declare) continue;
        tables[node.payload] = {};
        if (node.operand_count > 0 && !declared[node.payload]) note(node.payload, program.operand(id, 0));
        declared[node.payload] = true;
    }
    return tables;
}

std::vector<TypeWord> words_of(const TypeTable& types, TypeId type) {
    std::vector<TypeWord> words;
    words.reserve(types.scalar_words(type));
    append_words(types, type, 0, words);
    return words;
}

std::uint64_t word_of_member(const TypeTable& types, const Type& structure, std::uint32_t member) {
    std::uint64_t before = 0;
    for (std::uint32_t m = 0; m < member; ++m) before += types.scalar_words(structure.members[m].type);
    return before;
}

RuntimeArray runtime_array(const TypeTable& types, TypeId id) {
    const Type& type = types[id];
    if (type.is_runtime_array()) return {0, type.stride};
    if (type.kind != TypeKind::structure || type.members.empty()) return {};
    const Member& last = type.members.back();
    RuntimeArray found = runtime_array(types, last.type);
    if (found.stride != 0) found.offset += last.offset;
    return found;
}

Place resolve(const Program& program, NodeId reference) {
    const Node& node = program.node(reference);
    if (node.op == Op::ref_variable) {
        const VariableId variable{node.payload};
        return {.variable = variable, .type = program.variable(variable).type};
    }
    const TypeTable& types = program.types();
    Place place = resolve(program, program.operand(reference, 0));
    const bool in_words = is_own(program.variable(place.variable));
    const Type& of = types[place.type];
    place.type = program.type(reference);
    if (node.op == Op::ref_member) {
        place.offset += in_words ? word_of_member(types, of, node.payload) : of.members[node.payload].offset;
        return place;
    }
    const bool is_array = of.kind == TypeKind::array;
    const std::uint64_t count = is_array ? of.count : of.width;
    std::uint64_t stride = in_words ? 1 : 4;
    if (is_array) stride = in_words ? types.scalar_words(of.element) : of.stride;
    const NodeId index = program.operand(reference, 1);
    const auto known = constant_word(program, index);
    if (known && *known < count) {
        place.offset += *known * stride;
    } else {
        place.steps.push_back({index, stride, count});
    }
    return place;
}

}  // namespace muster::cpu
