#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/place.hpp>

namespace muster::cpu {
namespace {

void append_words(const TypeTable& types, TypeId id, std::uint64_t at, std::vector<TypeWord>& words) {
    const Type& type = types[id];
    switch (type.kind) {
        case TypeKind::none: return;
        case TypeKind::scalar:
        case TypeKind::vector:
        case TypeKind::atomic:
            for (std::uint32_t k = 0; k < type.width; ++k) {
                const std::uint64_t here = at + std::uint64_t{k} * info(type.scalar).bytes;
                if (is_wide(type.scalar)) {
                    words.push_back({here, Scalar::u32});
                    words.push_back({here + 4, Scalar::u32});
                } else {
                    words.push_back({here, type.scalar});
                }
            }
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

std::uint64_t word_of_whole(const Program& program, NodeId part, std::uint64_t word) {
    const TypeTable& types = program.types();
    const Node& node = program.node(part);
    const Type& whole = types[program.type(program.operand(part, 0))];
    if (whole.kind == TypeKind::array) return node.payload * types.scalar_words(whole.element) + word;
    if (whole.kind == TypeKind::structure)
        return member_offset(types, whole, node.payload, Layout::packed) + word;
    const std::uint64_t each = muster::words_of(whole.scalar);  // words of a component
    if (node.op == Op::splat) return word % each;
    if (node.op == Op::swizzle) return ((node.payload >> (2 * (word / each))) & 3) * each + word % each;
    return node.payload * each + word;
}

Place resolve(const Program& program, NodeId reference) {
    const Variable& variable = program.variable(program.root_variable(reference));
    return muster::resolve(program, reference, is_per_invocation(variable) ? Layout::packed : Layout::host);
}

}  // namespace muster::cpu
