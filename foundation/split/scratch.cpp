#include <array>

#include <muster/foundation/split/scratch.hpp>

namespace muster::split {
namespace {

/// Longest array that is moved without a loop.
constexpr std::uint32_t most_unrolled = 4;

}  // namespace

TypeId scratch_type(TypeTable& types) {
    const MemberDeclaration members[] = {
        {.name = "header", .type = types.array(types.atomic(Scalar::u32), scratch_header_words)},
        {.name = "words", .type = types.runtime_array(u32_type)}};
    return types.structure("MusterScratch", members);
}

NodeId from_word(IrBuilder& ir, TypeId type, NodeId word) {
    const Scalar scalar = ir.types()[type].scalar;
    if (scalar == Scalar::boolean) return ir.binary(Op::ne, word, ir.constant(0u));
    if (scalar == Scalar::f16) return ir.convert(scalar, ir.bitcast(Scalar::f32, word));
    if (is_narrow(scalar)) return ir.convert(scalar, word);
    return ir.bitcast(scalar, word);
}

NodeId to_word(IrBuilder& ir, NodeId scalar) {
    const Scalar type = ir.types()[ir.type(scalar)].scalar;
    if (type == Scalar::boolean) return ir.select(ir.constant(0u), ir.constant(1u), scalar);
    if (type == Scalar::f16) scalar = ir.convert(Scalar::f32, scalar);
    if (is_narrow(type)) return ir.convert(Scalar::u32, scalar);
    return ir.bitcast(Scalar::u32, scalar);
}

namespace {

/// The words of a scalar: one, or two for 64 bits.
std::vector<NodeId> to_words(IrBuilder& ir, NodeId scalar) {
    if (!is_wide(ir.types()[ir.type(scalar)].scalar)) return {to_word(ir, scalar)};
    const NodeId words = ir.bitcast(Scalar::u32, scalar);
    return {ir.extract(words, 0), ir.extract(words, 1)};
}

/// A scalar of as many words as its type takes, which `next` gives one by one.
template <class Next>
NodeId from_words(IrBuilder& ir, TypeId type, Next next) {
    const NodeId low = next();
    if (!is_wide(ir.types()[type].scalar)) return from_word(ir, type, low);
    const std::array both{low, next()};
    return ir.bitcast(ir.types()[type].scalar, ir.compose(type_of(Scalar::u32, 2), both));
}

}  // namespace

void Scratch::begin() {
    const auto axis = [&](Builtin builtin, std::uint32_t which) {
        return ir_.extract(ir_.builtin(builtin), which);
    };
    const auto times = [&](NodeId a, NodeId b) { return ir_.binary(Op::mul, a, b); };
    const auto sum = [&](NodeId a, NodeId b) { return ir_.binary(Op::add, a, b); };
    const NodeId x = axis(Builtin::num_workgroups, 0), y = axis(Builtin::num_workgroups, 1);
    const NodeId plane = times(axis(Builtin::workgroup_id, 2), y);
    const NodeId row = times(sum(axis(Builtin::workgroup_id, 1), plane), x);
    const NodeId workgroup = sum(axis(Builtin::workgroup_id, 0), row);
    const NodeId workgroups = times(times(x, y), axis(Builtin::num_workgroups, 2));
    const NodeId size = number(layout_.workgroup_size);
    invocation_ = sum(times(workgroup, size), ir_.builtin(Builtin::local_invocation_index));
    invocations_ = times(workgroups, size);
    workgroup_base_ = sum(times(invocations_, number(layout_.invocation_words)),
                          times(workgroup, number(layout_.workgroup_words)));
}

NodeId Scratch::header(ScratchWord word) {
    return ir_.ref_index(ir_.ref_member(ir_.ref(binding_), 0), number(static_cast<std::uint64_t>(word)));
}

NodeId Scratch::word_at(NodeId index) { return ir_.ref_index(ir_.ref_member(ir_.ref(binding_), 1), index); }

Scratch::Words Scratch::of_invocation() {
    return [this](NodeId word) {
        return word_at(ir_.binary(Op::add, ir_.binary(Op::mul, word, invocations_), invocation_));
    };
}

Scratch::Words Scratch::of_workgroup() {
    return [this](NodeId word) { return word_at(ir_.binary(Op::add, workgroup_base_, word)); };
}

NodeId Scratch::plus(NodeId word, std::uint64_t more) {
    return more == 0 ? word : ir_.binary(Op::add, word, number(more));
}

NodeId Scratch::element_word(NodeId word, NodeId index, std::uint64_t words) {
    return ir_.binary(Op::add, word, words == 1 ? index : ir_.binary(Op::mul, index, number(words)));
}

// Values

void Scratch::words_of(NodeId value, std::vector<NodeId>& all) {
    const Type type = ir_.types()[ir_.type(value)];  // a copy: the table may grow
    if (type.kind == TypeKind::scalar) {
        const std::vector<NodeId> words = to_words(ir_, value);
        all.insert(all.end(), words.begin(), words.end());
        return;
    }
    const std::uint32_t parts = type.kind == TypeKind::vector ? type.width
                                : type.kind == TypeKind::structure
                                    ? static_cast<std::uint32_t>(type.members.size())
                                    : type.count;
    for (std::uint32_t i = 0; i < parts; ++i) words_of(ir_.extract(value, i), all);
}

void Scratch::save_value(NodeId value, std::uint64_t slot) {
    std::vector<NodeId> words;
    words_of(value, words);
    for (const NodeId word : words) ir_.store(of_invocation()(number(slot++)), word);
}

NodeId Scratch::value_of(TypeId id, std::uint64_t& slot, const Words& words) {
    const Type type = ir_.types()[id];
    if (type.kind == TypeKind::scalar)
        return from_words(ir_, id, [&] { return ir_.load(words(number(slot++))); });
    std::vector<NodeId> parts;
    if (type.kind == TypeKind::structure)
        for (const Member& member : type.members) parts.push_back(value_of(member.type, slot, words));
    else
        for (std::uint32_t i = 0; i < (type.kind == TypeKind::vector ? type.width : type.count); ++i)
            parts.push_back(value_of(type.element, slot, words));
    return ir_.compose(id, parts);
}

NodeId Scratch::restore_value(TypeId type, std::uint64_t slot) {
    return value_of(type, slot, of_invocation());
}

// Variables

void Scratch::save(VariableId variable, std::uint64_t slot) {
    move(Way::save, ir_.ref(variable), number(slot), of_invocation());
}

void Scratch::restore(VariableId variable, std::uint64_t slot) {
    move(Way::restore, ir_.ref(variable), number(slot), of_invocation());
}

void Scratch::move_plain(Way way, NodeId place, NodeId word, const Words& words) {
    const Type type = ir_.types()[ir_.type(place)];
    if (type.kind == TypeKind::atomic) {
        if (way == Way::restore) {
            std::uint32_t next = 0;
            ir_.atomic(Op::atomic_store, place,
                       from_words(ir_, type.element, [&] { return ir_.load(words(plus(word, next++))); }));
            return;
        }
    }
    if (way == Way::save) {
        const NodeId value =
            type.kind == TypeKind::atomic ? ir_.atomic(Op::atomic_load, place) : ir_.load(place);
        std::vector<NodeId> all;
        words_of(value, all);
        for (std::uint32_t i = 0; i < all.size(); ++i) ir_.store(words(plus(word, i)), all[i]);
        return;
    }
    std::vector<NodeId> parts;
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < type.width; ++i)
        parts.push_back(
            from_words(ir_, type_of(type.scalar), [&] { return ir_.load(words(plus(word, next++))); }));
    ir_.store(place, type.width == 1 ? parts[0] : ir_.compose(ir_.type(place), parts));
}

void Scratch::move(Way way, NodeId place, NodeId word, const Words& words) {
    const Type type = ir_.types()[ir_.type(place)];
    if (type.kind == TypeKind::structure) {
        for (std::uint32_t i = 0; i < type.members.size(); ++i) {
            move(way, ir_.ref_member(place, i), word, words);
            word = plus(word, ir_.types().scalar_words(type.members[i].type));
        }
    } else if (type.kind == TypeKind::array) {
        const std::uint64_t each = ir_.types().scalar_words(type.element);
        const auto element = [&](NodeId i) {
            move(way, ir_.ref_index(place, i), element_word(word, i, each), words);
        };
        if (type.count > most_unrolled)
            loop(ir_.constant(0u), type.count, 1, element);
        else
            for (std::uint32_t i = 0; i < type.count; ++i) element(ir_.constant(i));
    } else {
        move_plain(way, place, word, words);
    }
}

/// Emits body(i) for i = first, first + step, ... below count.
void Scratch::loop(NodeId first, std::uint32_t count, std::uint32_t step,
                   const std::function<void(NodeId)>& body) {
    const VariableId counter = ir_.variable({.name = "muster_i", .type = u32_type});
    ir_.declare(counter, first);
    ir_.begin_loop();
    const NodeId i = ir_.load(ir_.ref(counter));
    ir_.begin_if(ir_.binary(Op::ge, i, ir_.constant(count)));
    ir_.break_();
    ir_.end_if();
    body(i);
    ir_.begin_continuing();
    ir_.store(ir_.ref(counter), ir_.binary(Op::add, ir_.load(ir_.ref(counter)), ir_.constant(step)));
    ir_.end_loop();
}

/// Each invocation moves some elements of each array; the first one moves everything outside arrays.
void Scratch::move_together(Way way, NodeId place, NodeId word, const Words& words) {
    const Type type = ir_.types()[ir_.type(place)];
    const NodeId own = ir_.builtin(Builtin::local_invocation_index);
    if (type.kind == TypeKind::array) {
        const std::uint64_t each = ir_.types().scalar_words(type.element);
        loop(own, type.count, static_cast<std::uint32_t>(layout_.workgroup_size),
             [&](NodeId i) { move(way, ir_.ref_index(place, i), element_word(word, i, each), words); });
    } else if (type.kind == TypeKind::structure) {
        for (std::uint32_t i = 0; i < type.members.size(); ++i) {
            move_together(way, ir_.ref_member(place, i), word, words);
            word = plus(word, ir_.types().scalar_words(type.members[i].type));
        }
    } else {
        ir_.begin_if(ir_.binary(Op::eq, own, ir_.constant(0u)));
        move_plain(way, place, word, words);
        ir_.end_if();
    }
}

void Scratch::save_workgroup(VariableId variable, std::uint64_t slot) {
    move_together(Way::save, ir_.ref(variable), number(slot), of_workgroup());
}

void Scratch::restore_workgroup(VariableId variable, std::uint64_t slot) {
    move_together(Way::restore, ir_.ref(variable), number(slot), of_workgroup());
}

}  // namespace muster::split
