// References, loads and stores. An index that isn't proven in bounds is compared: a load out of bounds reads
// the first element instead and discards it, a store out of bounds is skipped.
#include <muster/backend-vulkan/lowering/lowering.hpp>
#include <muster/foundation/analysis/overwritten.hpp>

namespace muster::vulkan {

const Lowering::Root& Lowering::root(VariableId variable) {
    std::optional<Root>& known = roots_[variable.index];
    if (!known) known = make_root(variable);
    return *known;
}

// Roots of bindings come from declare_interface().
Lowering::Root Lowering::make_root(VariableId id) {
    const Variable& variable = program_.variable(id);
    const Id type = types_.value(variable.type);
    Root made;
    if (variable.space == AddressSpace::workgroup) {
        made.space = spv::StorageClass::Workgroup;
        const bool starts = target_.zero_initialize_workgroup_memory && !is_overwritten_first(program_, id);
        const Id initial = starts ? module_.constant(spv::Op::OpConstantNull, type, {}) : no_id;
        made.variable = global(made.space, type, initial);
    } else if (variable.space == AddressSpace::private_) {
        made.variable = builder_.local_variable(type);
        if (!large_.is_zeroed_by_loops(variable))
            builder_.in_prologue([&] {
                const Id initial =
                    variable.initial ? kept(variable.initial) : builder_.hidden_zero(variable.type);
                builder_.statement(spv::Op::OpStore, {made.variable, initial});
                return no_id;
            });
    } else {
        made.variable = builder_.local_variable(type);
    }
    module_.name(made.variable, variable.name);
    return made;
}

bool Lowering::is_in_bounds(NodeId access, NodeId reference, std::uint32_t count) const {
    const NodeId index = program_.operand(reference, 1);
    if (program_.node(index).op == Op::constant && count != 0) {
        const auto words = program_.constant_words(index);
        return words.empty() ||
               words[0] < count;  // also if `unchecked`: a constant index out of bounds isn't valid SPIR-V
    }
    return target_.options.unchecked || ranges_.in_bounds(access).known == RangeKnown::always ||
           ranges_.in_bounds(reference).known == RangeKnown::always;
}

Id Lowering::checked_index(NodeId access, NodeId reference, bool harmless, Id& valid) {
    const NodeId whole = program_.operand(reference, 0), index_node = program_.operand(reference, 1);
    const Type& of = types_[program_.type(whole)];
    const std::uint32_t count = of.kind == TypeKind::array ? of.count : of.width;
    const Id index = value(index_node);
    if (is_in_bounds(access, reference, count)) return index;
    const Id end = count != 0 ? builder_.word(count) : length_of(program_.root_variable(reference));
    const TypeId type = program_.type(index_node);
    const bool is_constant = builder_.constant_components(index) != nullptr;
    const Id inside = is_constant && count != 0 ? builder_.all(bool_type, 0)
                                                : builder_.add(spv::Op::OpULessThan, bool_type, {index, end});
    valid = builder_.both(valid, inside);
    if (is_constant && count != 0) return builder_.zero(type);
    return harmless ? builder_.select(type, inside, index, builder_.zero(type)) : index;
}

Lowering::Pointer Lowering::pointer_to(NodeId access, bool harmless) {
    const NodeId last = program_.operand(access, 0);
    std::vector<NodeId> steps;
    for (NodeId id = last; program_.node(id).op != Op::ref_variable; id = program_.operand(id, 0))
        steps.push_back(id);
    const Root& from = root(program_.root_variable(last));
    Pointer made{.pointer = from.variable,
                 .type = program_.type(last),
                 .in_memory = from.in_memory,
                 .space = from.space};
    std::vector<Word> path;
    if (from.member) path.push_back(builder_.word(*from.member));
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        const Node& node = program_.node(*step);
        path.push_back(node.op == Op::ref_member ? builder_.word(node.payload)
                                                 : checked_index(access, *step, harmless, made.valid));
    }
    if (path.empty()) return made;
    const Id type = made.in_memory ? types_.memory(made.type) : types_.value(made.type);
    made.pointer =
        builder_.add(spv::Op::OpAccessChain, types_.pointer(from.space, type), {from.variable}, path);
    return made;
}

// The elements that fit into the bytes bound, rounded down.
Id Lowering::length_of(VariableId id) {
    Id& known = lengths_[id.index];
    if (known != no_id) return known;
    const Root& from = root(id);
    const Word member =
        from.member ? *from.member : static_cast<Word>(types_[program_.variable(id).type].members.size() - 1);
    known = builder_.in_prologue([&] {
        return builder_.add(spv::Op::OpArrayLength, u32_type, {from.variable, member});
    });
    return known;
}

void Lowering::declare(NodeId node) {
    const VariableId id{program_.node(node).payload};
    const auto initial = program_.operands(node);
    const Pointer whole{.pointer = root(id).variable, .type = program_.variable(id).type};
    if (fill_by_loops(whole, initial.empty() ? NodeId{} : initial[0], node)) return;
    const Id start = initial.empty() ? builder_.hidden_zero(program_.variable(id).type) : kept(initial[0]);
    builder_.statement(spv::Op::OpStore, {root(id).variable, start});
}

Id Lowering::load(NodeId node) {
    const TypeId type = program_.type(node);
    const Pointer from = pointer_to(node, true);
    if (from.valid == no_id) return read(from);
    if (types_.is_aggregate(type)) return builder_.guarded(from.valid, type, [&] { return read(from); });
    return builder_.choose(type, from.valid, read(from), builder_.hidden_zero(type));
}

void Lowering::store(NodeId node) {
    const NodeId stored = program_.operand(node, 1);
    if (large_.is_large(program_.type(stored)) && fill_by_loops(pointer_to(node, false), stored, node))
        return;
    const Id what = kept(stored);
    const Pointer to = pointer_to(node, false);
    where_valid(to, no_type, [&] {
        write(to, what);
        return no_id;
    });
}

}  // namespace muster::vulkan
