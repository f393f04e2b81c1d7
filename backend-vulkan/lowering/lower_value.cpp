// Operations on values.
#include <muster/backend-vulkan/lowering/lowering.hpp>

namespace muster::vulkan {
namespace {

// Limit for a value that is copied part by part.
constexpr std::size_t most_parts = 16'384;

// Largest constant table whose numbers are hidden one by one; larger ones stay in
// memory behind a hidden index.
constexpr std::uint64_t most_hidden_words = 64;

}  // namespace

Id Lowering::value(NodeId node) {
    Id& known = values_[node.index];
    const Node& what = program_.node(node);
    if (what.op == Op::builtin) return builtin(static_cast<Builtin>(what.payload));
    if (what.op == Op::constant && known == no_id)
        known = builder_.constant(what.type, program_.constant_words(node));
    if (known == no_id && memories_[node.index] != no_id)
        return builder_.add(spv::Op::OpLoad, what.type, {memories_[node.index]});
    return known;
}

Id Lowering::kept(NodeId node) {
    const Node& what = program_.node(node);
    if (what.op == Op::constant) return builder_.hidden_constant(what.type, program_.constant_words(node));
    return value(node);
}

Id Lowering::evaluate(NodeId node) {
    const Node& what = program_.node(node);
    const auto operands = program_.operands(node);
    const auto of = [&](std::size_t k) { return value(operands[k]); };
    if (what.op == Op::load) return load(node);
    if (what.op == Op::array_length) return length_of(program_.root_variable(operands[0]));
    if (info(what.op).group == OpGroup::atomic) return atomic(node);
    if (info(what.op).group == OpGroup::subgroup) return subgroup_operation(node);
    if (what.op == Op::extract && large_.is_large(program_.type(operands[0])))
        if (const auto from = lies_at(operands[0]))
            return load_part(*from, what.type, std::array{builder_.word(what.payload)});
    if (what.op == Op::extract)
        return builder_.add(spv::Op::OpCompositeExtract, what.type, {of(0), what.payload});
    if (what.op == Op::extract_dynamic) return extract_dynamic(node);
    if (what.op == Op::swizzle) return swizzle(node);
    if (what.op == Op::splat) return builder_.splat(what.type, kept(operands[0]));
    if (what.op == Op::compose) {
        std::vector<Word> parts;
        for (const NodeId operand : operands) parts.push_back(kept(operand));
        return builder_.add(spv::Op::OpCompositeConstruct, types_.value(what.type), {}, parts);
    }
    if (what.op == Op::select) return select(node);
    if (what.op == Op::all || what.op == Op::any) {
        if (types_[program_.type(operands[0])].kind == TypeKind::scalar) return of(0);
        return builder_.add(what.op == Op::all ? spv::Op::OpAll : spv::Op::OpAny, bool_type, {of(0)});
    }
    return componentwise(node);
}

Id Lowering::componentwise(NodeId node) {
    const auto operands = program_.operands(node);
    std::vector<Id> given;
    for (const NodeId operand : operands) given.push_back(value(operand));
    return emit_operation(builder_, program_.node(node).op, program_.type(operands[0]), program_.type(node),
                          given);
}

Id Lowering::subgroup_operation(NodeId node) {
    const Node& what = program_.node(node);
    const auto operands = program_.operands(node);
    const Id scope = builder_.word(static_cast<Word>(spv::Scope::Subgroup));
    if (what.op == Op::subgroup_ballot) {
        module_.require(spv::Capability::GroupNonUniformBallot);
        return builder_.add(spv::Op::OpGroupNonUniformBallot, what.type, {scope, value(operands[0])});
    }
    module_.require(spv::Capability::GroupNonUniformShuffle);
    return builder_.add(spv::Op::OpGroupNonUniformShuffle, what.type,
                        {scope, kept(operands[0]), value(operands[1])});
}

Id Lowering::select(NodeId node) {
    const TypeId type = program_.type(node);
    const auto operands = program_.operands(node);
    const Id if_false = kept(operands[0]), if_true = kept(operands[1]), condition = value(operands[2]);
    const bool by_each = types_[program_.type(operands[2])].kind == TypeKind::vector;
    return by_each ? builder_.select(type, condition, if_true, if_false)
                   : builder_.choose(type, condition, if_true, if_false);
}

Id Lowering::swizzle(NodeId node) {
    const Node& what = program_.node(node);
    const Id whole = value(program_.operand(node, 0));
    const std::uint32_t width = types_[what.type].width;
    const auto component = [&](std::uint32_t k) { return (what.payload >> (2 * k)) & 3; };
    if (width == 1) return builder_.add(spv::Op::OpCompositeExtract, what.type, {whole, component(0)});
    std::vector<Word> components;
    for (std::uint32_t k = 0; k < width; ++k) components.push_back(component(k));
    return builder_.add(spv::Op::OpVectorShuffle, types_.value(what.type), {whole, whole}, components);
}

// Yields zero if the index is out of bounds.
Id Lowering::extract_dynamic(NodeId node) {
    const NodeId whole = program_.operand(node, 0), index_node = program_.operand(node, 1);
    const Type& of = types_[program_.type(whole)];
    const std::uint32_t count = of.kind == TypeKind::array ? of.count : of.width;
    const TypeId index_type = program_.type(index_node), type = program_.type(node);
    Id index = value(index_node);
    if (is_large_table(whole)) index = builder_.unknown(index_type, index);
    const bool is_proven = target_.options.unchecked || ranges_.in_bounds(node).known == RangeKnown::always;
    if (is_proven && builder_.constant_components(index) == nullptr) return dynamic_element(node, index);
    const Id inside = builder_.add(spv::Op::OpULessThan, bool_type, {index, builder_.word(count)});
    const Id within = builder_.select(index_type, inside, index, builder_.zero(index_type));
    return builder_.choose(type, inside, dynamic_element(node, within), builder_.hidden_zero(type));
}

bool Lowering::is_large_table(NodeId node) const {
    const Node& what = program_.node(node);
    return builder_.exact && what.op == Op::constant && builder_.contains_number(what.type) &&
           types_.table().scalar_words(what.type) > most_hidden_words;
}

// The memory of a constant array that is indexed at run time, initialised at the function's start.
Id Lowering::table(NodeId array) {
    const Id type = types_.value(program_.type(array));
    Id& known = tables_[array.index];
    if (known != no_id) return known;
    if (is_large_table(array)) return known = builder_.local_variable(type, value(array));
    const Id words = kept(array);
    known = builder_.local_variable(type);
    builder_.in_prologue([&] {
        builder_.statement(spv::Op::OpStore, {known, words});
        return no_id;
    });
    return known;
}

// Vectors are indexed as values; arrays only in memory, as SPIR-V requires.
Id Lowering::dynamic_element(NodeId node, Id index) {
    const NodeId whole = program_.operand(node, 0);
    const TypeId type = program_.type(node);
    if (types_[program_.type(whole)].kind == TypeKind::vector)
        return builder_.add(spv::Op::OpVectorExtractDynamic, type, {kept(whole), index});
    if (const auto from = lies_at(whole)) return load_part(*from, type, std::array{index});
    const Id memory = table(whole);
    const Id pointer = types_.pointer(spv::StorageClass::Function, types_.value(type));
    const Id at = builder_.add(spv::Op::OpAccessChain, pointer, {memory, index});
    return builder_.add(spv::Op::OpLoad, type, {at});
}

// Conversions from and to a binding's layout.

// Copies part by part before SPIR-V 1.4, which adds OpCopyLogical.
Id Lowering::copied(TypeId type, Id from, bool into_memory) {
    const Id made = into_memory ? types_.memory(type) : types_.value(type);
    if (!types_.is_aggregate(type)) {
        if (types_[type].least_bytes == 4) return from;
        const bool has_sign = is_signed(types_[type].scalar);
        return builder_.add(has_sign ? spv::Op::OpSConvert : spv::Op::OpUConvert, made, {from});
    }
    if (module_.is_at_least(0x00010400)) return builder_.add(spv::Op::OpCopyLogical, made, {from});
    std::vector<Word> parts;
    for_parts(type, [&](TypeId part, Word k) {
        const Id form = into_memory ? types_.value(part) : types_.memory(part);
        parts.push_back(
            copied(part, builder_.add(spv::Op::OpCompositeExtract, form, {from, k}), into_memory));
    });
    return builder_.add(spv::Op::OpCompositeConstruct, made, {}, parts);
}

void Lowering::for_parts(TypeId type, const std::function<void(TypeId part, Word k)>& visit) {
    const Type& of = types_[type];
    const std::size_t count = of.kind == TypeKind::array ? of.count : of.members.size();
    for (Word k = 0; k < count && count < most_parts; ++k)
        visit(of.kind == TypeKind::array ? of.element : of.members[k].type, k);
    if (count >= most_parts) too_large_ = true;
}

// SPIR-V loads and stores half words and bytes one by one, or as vectors, but not in structures and arrays.

Id Lowering::read(const Pointer& from) {
    const TypeId type = from.type;
    if (!from.in_memory) return builder_.add(spv::Op::OpLoad, types_.value(type), {from.pointer});
    if (types_.is_aggregate(type) && types_[type].least_bytes < 4) {
        std::vector<Word> parts;
        for_parts(type, [&](TypeId part, Word k) {
            parts.push_back(read(part_of(from, part, std::array{builder_.word(k)})));
        });
        return builder_.add(spv::Op::OpCompositeConstruct, types_.value(type), {}, parts);
    }
    return copied(type, builder_.add(spv::Op::OpLoad, types_.memory(type), {from.pointer}), false);
}

void Lowering::write(const Pointer& to, Id what) {
    const TypeId type = to.type;
    if (to.in_memory && types_.is_aggregate(type) && types_[type].least_bytes < 4) {
        for_parts(type, [&](TypeId part, Word k) {
            const Id value = builder_.add(spv::Op::OpCompositeExtract, types_.value(part), {what, k});
            write(part_of(to, part, std::array{builder_.word(k)}), value);
        });
        return;
    }
    builder_.statement(spv::Op::OpStore, {to.pointer, to.in_memory ? copied(type, what, true) : what});
}

}  // namespace muster::vulkan
