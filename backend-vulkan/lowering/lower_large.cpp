// Large arrays (large_arrays.hpp): zeroed and copied by loops, part by part, and read in place.
#include <muster/backend-vulkan/lowering/lowering.hpp>

namespace muster::vulkan {

namespace {

bool is_zero(const Program& program, NodeId value) {
    return program.node(value).op == Op::constant && program.constant_words(value).empty();
}

}  // namespace

void Lowering::zero_private_memory() {
    std::vector<bool> used(program_.variables().size());
    for (std::uint32_t i = 0; i < program_.node_count(); ++i)
        if (program_.node({i}).op == Op::ref_variable) used[program_.node({i}).payload] = true;
    for (std::uint32_t v = 0; v < used.size(); ++v) {
        const Variable& variable = program_.variable({v});
        if (used[v] && large_.is_zeroed_by_loops(variable))
            fill({.pointer = root({v}).variable, .type = variable.type}, nullptr, "private variables");
    }
}

// The memory of a large value that was loaded, or of an array that is indexed at run
// time; none if it has none.
std::optional<Lowering::Pointer> Lowering::lies_at(NodeId value) {
    if (large_.is_read_in_place(value)) return pointer_to(value, true);
    if (const Id memory = memories_[value.index]; memory != no_id)
        return Pointer{.pointer = memory, .type = program_.type(value)};
    return std::nullopt;
}

void Lowering::keep_in_memory(NodeId node) {
    const TypeId type = program_.type(node);
    const Id memory = builder_.local_variable(types_.value(type));
    if (program_.node(node).op == Op::load && large_.is_large(type)) {
        const Pointer from = pointer_to(node, true);
        fill({.pointer = memory, .type = type}, &from, place_of(node));
    } else {
        builder_.statement(spv::Op::OpStore, {memory, values_[node.index]});
    }
    memories_[node.index] = memory;
}

// Stores a value, or zero if there is no node, by loops. Returns false, emitting
// nothing, if no loops are needed.
bool Lowering::fill_by_loops(const Pointer& to, NodeId stored, NodeId node) {
    if (!large_.is_large(to.type)) return false;
    if (!stored || is_zero(program_, stored)) {
        fill(to, nullptr, place_of(node));
        return true;
    }
    const std::optional<Pointer> from = lies_at(stored);
    if (from) fill(to, &*from, place_of(node));
    return from.has_value();
}

void Lowering::fill(const Pointer& to, const Pointer* from, const std::string& where) {
    where_valid(to, no_type, [&] {
        std::vector<Word> path;
        fill_part(to, from, to.type, path, where);
        return no_id;
    });
}

void Lowering::fill_part(const Pointer& to, const Pointer* from, TypeId type, std::vector<Word>& path,
                         const std::string& where) {
    const auto part = [&](TypeId of, Id at) {
        path.push_back(at);
        fill_part(to, from, of, path, where);
        path.pop_back();
    };
    const Type& of = types_[type];
    if (types_.table().scalar_words(type) <= words_at_once) {
        const Id what = from ? load_part(*from, type, path) : builder_.hidden_zero(type);
        write(part_of(to, type, path), what);
    } else if (of.kind == TypeKind::structure) {
        for (Word m = 0; m < of.members.size(); ++m) part(of.members[m].type, builder_.word(m));
    } else {
        const std::uint32_t step = elements_at_once(types_.table(), type), end = of.count - of.count % step;
        const auto body = [&](Id first) {
            for (Word k = 0; k < step; ++k)
                part(of.element, builder_.add(spv::Op::OpIAdd, u32_type, {first, builder_.word(k)}));
        };
        const Id reached = count_up(builder_.word(0), step, end, body, spv::LoopControlMask::DontUnroll);
        check_ended(reached, end, where);
        for (Word k = end; k < of.count; ++k) part(of.element, builder_.word(k));
    }
}

Lowering::Pointer Lowering::part_of(Pointer whole, TypeId type, std::span<const Word> path) {
    if (path.empty()) return whole;
    const Id there = whole.in_memory ? types_.memory(type) : types_.value(type);
    whole.pointer =
        builder_.add(spv::Op::OpAccessChain, types_.pointer(whole.space, there), {whole.pointer}, path);
    whole.type = type;
    return whole;
}

Id Lowering::load_part(const Pointer& from, TypeId type, std::span<const Word> path) {
    const Id what = read(part_of(from, type, path));
    return from.valid == no_id ? what : builder_.choose(type, from.valid, what, builder_.hidden_zero(type));
}

}  // namespace muster::vulkan
