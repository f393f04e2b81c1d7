#include <algorithm>

#include <muster/foundation/analysis/ranges/evaluator.hpp>
#include <muster/foundation/ir/place.hpp>

namespace muster::ranges {
namespace {

constexpr int max_look_ahead = 64;  // nesting of operands

bool is_known_scalar(const Type& type) {
    return (type.kind == TypeKind::scalar || type.kind == TypeKind::vector) && !is_float(type.scalar) &&
           !is_narrow(type.scalar) && !is_wide(type.scalar);
}

}  // namespace

Evaluator::Evaluator(const Program& program, Extent3 box, Values& values, Expressions& expressions,
                     bool follow)
    : program_(program),
      box_(box),
      values_(values),
      e_(expressions),
      intervals_(expressions),
      known_(program.node_count()),
      first_(program.variables().size()),
      width_(program.variables().size()) {
    std::vector<bool> escapes(program.variables().size());
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        if (program.node(NodeId{i}).op != Op::extension) continue;
        for (const NodeId operand : program.operands(NodeId{i})) {
            const Op op = program.node(operand).op;
            if (op == Op::ref_variable || op == Op::ref_index || op == Op::ref_member)
                escapes[program.root_variable(operand).index] = true;
        }
    }
    for (std::uint32_t i = 0; i < program.variables().size(); ++i) {
        const Variable& variable = program.variables()[i];
        const Type& type = program.types()[variable.type];
        const bool is_own =
            variable.space == AddressSpace::function || variable.space == AddressSpace::private_;
        if (!follow || !is_own || escapes[i] || !is_known_scalar(type)) continue;
        first_[i] = static_cast<std::uint32_t>(state_.size());
        width_[i] = type.width;
        for (std::uint32_t k = 0; k < type.width; ++k) {
            scalar_.push_back(type.scalar);
            state_.push_back(variable.initial ? component(variable.initial, k)
                                              : values_.constant(0, type.scalar));
        }
    }
}

std::uint32_t Evaluator::width(NodeId node) const {
    const Type& type = program_.types()[program_.type(node)];
    return is_known_scalar(type) ? type.width : 0;
}

void Evaluator::visit(NodeId node) {
    known_[node.index].fill({});
    for (std::uint32_t k = 0; k < width(node); ++k) component(node, k);
}

ValueId Evaluator::component(NodeId node, std::uint32_t which) {
    if (known_[node.index][which]) return known_[node.index][which];
    const Type& type = program_.types()[program_.type(node)];
    if (!is_known_scalar(type)) return {};
    if (depth_ == max_look_ahead) return opaque(type.scalar);
    ++depth_;
    ValueId made = make(node, which);
    --depth_;
    if (!made) made = opaque(type.scalar);
    known_[node.index][which] = made;
    if (changes_ != nullptr) looked_at_.push_back(node);
    return made;
}

ValueId Evaluator::look_ahead(NodeId node, const std::function<bool(std::uint32_t slot)>& changes) {
    changes_ = &changes;
    const ValueId found = component(node);
    changes_ = nullptr;
    for (const NodeId seen : looked_at_) known_[seen.index].fill({});
    looked_at_.clear();
    return found;
}

// Nodes
// ----------------------------------------------------------------------------------------------------------

ValueId Evaluator::make(NodeId node, std::uint32_t which) {
    const Op op = program_.node(node).op;
    const std::uint32_t payload = program_.node(node).payload;
    const auto operands = program_.operands(node);
    if (op == Op::constant) return constant(node, which);
    if (op == Op::builtin) return builtin(Builtin{static_cast<std::uint8_t>(payload)}, which);
    if (op == Op::load) return load(node, which);
    if (op == Op::extract) return extract(node);
    if (op == Op::compose) return component(operands[which]);
    if (op == Op::splat) return component(operands[0]);
    if (op == Op::swizzle) return component(operands[0], (payload >> (2 * which)) & 3u);
    if (op == Op::convert || op == Op::bitcast) return convert(node, which);
    if (op == Op::all) return all_of(node, Op::bit_and);
    if (op == Op::any) return all_of(node, Op::bit_or);
    if (op == Op::array_length) {
        const auto count = length(operands[0]);
        return count ? values_.atom(ValueKind::symbol, count->index) : ValueId{};
    }
    return info(op).group == OpGroup::exact ? operation(node, which) : ValueId{};
}

ValueId Evaluator::constant(NodeId node, std::uint32_t which) {
    const auto words = program_.constant_words(node);
    const Scalar scalar = program_.types()[program_.type(node)].scalar;
    return values_.constant(words.empty() ? 0 : words[which], scalar);
}

bool Evaluator::is_whole_workgroup(std::uint32_t axis) const {
    return along(box_, axis) == along(program_.workgroup_size(), axis);
}

ValueId Evaluator::id_in_box(std::uint32_t axis) {
    return along(box_, axis) == 1 ? values_.constant(0, Scalar::u32)
                                  : values_.atom(ValueKind::local_id, axis);
}

ValueId Evaluator::builtin(Builtin builtin, std::uint32_t which) {
    const Extent3 size = program_.workgroup_size();
    const auto u32 = [&](std::uint32_t value) { return values_.constant(value, Scalar::u32); };
    const auto mul = [&](ValueId a, ValueId b) { return values_.operation(Op::mul, Scalar::u32, a, b); };
    const auto add = [&](ValueId a, ValueId b) { return values_.operation(Op::add, Scalar::u32, a, b); };
    switch (builtin) {
        case Builtin::local_invocation_id: return is_whole_workgroup(which) ? id_in_box(which) : ValueId{};
        case Builtin::workgroup_id:
            return is_whole_workgroup(which) ? values_.atom(ValueKind::workgroup_id, which) : ValueId{};
        case Builtin::num_workgroups: return values_.atom(ValueKind::num_workgroups, which);
        case Builtin::local_invocation_index:
            if (box_ != size) return {};
            return add(add(mul(id_in_box(2), u32(size.x * size.y)), mul(id_in_box(1), u32(size.x))),
                       id_in_box(0));
        case Builtin::global_invocation_id:
            return add(mul(values_.atom(ValueKind::workgroup_id, which), u32(along(box_, which))),
                       id_in_box(which));
        case Builtin::subgroup_invocation_id:
        case Builtin::subgroup_size:
        case Builtin::subgroup_id:
        case Builtin::num_subgroups: break;
    }
    return {};
}

ValueId Evaluator::extract(NodeId node) {
    const NodeId from = program_.operand(node, 0);
    const std::uint32_t which = program_.node(node).payload;
    if (program_.types()[program_.type(from)].kind == TypeKind::vector) return component(from, which);
    if (program_.node(from).op == Op::compose) return component(program_.operand(from, which));
    const auto at = fixed_value(node);
    return at ? entry(*at, program_.types()[program_.type(node)].scalar) : ValueId{};
}

ValueId Evaluator::convert(NodeId node, std::uint32_t which) {
    const NodeId operand = program_.operand(node, 0);
    const ValueId from = component(operand, which);
    if (!from) return {};
    const Scalar to = program_.types()[program_.type(node)].scalar;
    const Scalar is = values_[from].type;
    if (is == to) return from;
    if (to == Scalar::boolean) return values_.operation(Op::ne, to, from, values_.constant(0, is));
    return values_.operation(Op::convert, to, from);
}

ValueId Evaluator::all_of(NodeId node, Op joined_by) {
    const NodeId operand = program_.operand(node, 0);
    ValueId all = component(operand, 0);
    for (std::uint32_t k = 1; k < width(operand); ++k)
        all = values_.operation(joined_by, Scalar::boolean, all, component(operand, k));
    return all;
}

// Evaluates the componentwise operations.
ValueId Evaluator::operation(NodeId node, std::uint32_t which) {
    const Node& of = program_.node(node);
    std::array<ValueId, 3> operands;
    if (of.operand_count == 0 || of.operand_count > operands.size() || of.op == Op::extract_dynamic)
        return {};
    for (std::uint32_t i = 0; i < of.operand_count; ++i) {
        const NodeId operand = program_.operand(node, i);
        operands[i] = component(operand, width(operand) == 1 ? 0 : which);
        if (!operands[i]) return {};
    }
    const Scalar type = program_.types()[of.type].scalar;
    if (of.op == Op::select && type == Scalar::boolean)
        return values_.choice(operands[2], operands[1], operands[0]);
    return values_.operation(of.op, type, operands[0], operands[1], operands[2]);
}

// Places
// ---------------------------------------------------------------------------------------------------------

Evaluator::SlotRange Evaluator::slots(NodeId reference) const {
    const SlotRange whole = slots(program_.root_variable(reference));
    if (whole.count == 0 || program_.node(reference).op == Op::ref_variable) return whole;
    const auto which = constant_word(program_, program_.operand(reference, 1));
    if (which && *which < whole.count) return {whole.slot + *which, 1, true};
    return {whole.slot, whole.count, false};
}

void Evaluator::declare(NodeId node) {
    const SlotRange to = slots(VariableId{program_.node(node).payload});
    for (std::uint32_t k = 0; k < to.count; ++k)
        state_[to.slot + k] = program_.operands(node).empty() ? values_.constant(0, scalar_[to.slot + k])
                                                              : component(program_.operand(node, 0), k);
}

void Evaluator::store(NodeId node) {
    const SlotRange to = slots(program_.operand(node, 0));
    for (std::uint32_t k = 0; k < to.count; ++k)
        state_[to.slot + k] =
            to.is_exact ? component(program_.operand(node, 1), k) : opaque(scalar_[to.slot + k]);
}

ValueId Evaluator::load(NodeId node, std::uint32_t which) {
    const NodeId reference = program_.operand(node, 0);
    const SlotRange from = slots(reference);
    if (from.count != 0) {
        const std::uint32_t slot = from.slot + which;
        const bool may_change = changes_ != nullptr && (*changes_)(slot);
        return from.is_exact && !may_change ? state_[slot] : ValueId{};
    }
    const auto at = fixed_value(node);
    if (!at) return {};
    const Type& type = program_.types()[program_.type(node)];
    return entry({at->variable, at->offset + 4 * which, at->needed}, type.scalar);
}

ValueId Evaluator::entry(const Fixed& at, Scalar type) {
    if (type != Scalar::i32 && type != Scalar::u32) return {};
    const RangeEntry made{at.variable, type, at.offset, at.needed};
    const auto found = std::ranges::find(entries_, made);
    const auto index = static_cast<std::uint32_t>(found - entries_.begin());
    if (found == entries_.end()) {
        if (entries_.size() == 256) return {};
        entries_.push_back(made);
    }
    const Interval all = intervals_.of(type);
    const Expression symbol = e_.symbol(RangeOp::entry_value, index, e_.low(all.low), e_.high(all.high));
    return values_.atom(ValueKind::symbol, symbol.index, type);
}

std::optional<Evaluator::Fixed> Evaluator::fixed_value(NodeId value) const {
    const Op op = program_.node(value).op;
    const NodeId from = op == Op::load || op == Op::extract ? program_.operand(value, 0) : NodeId{};
    if (op == Op::load) return fixed_place(from);
    if (op != Op::extract) return {};
    const auto whole = fixed_value(from);
    return whole ? fixed_step(*whole, program_.type(from), program_.node(value).payload) : std::nullopt;
}

std::optional<Evaluator::Fixed> Evaluator::fixed_place(NodeId reference) const {
    const Op op = program_.node(reference).op;
    if (op == Op::ref_variable) {
        const VariableId id{program_.node(reference).payload};
        const Variable& variable = program_.variable(id);
        // Written memory never overlaps other bindings, so bindings that the program doesn't write keep their
        // contents.
        return variable.is_binding() && !variable.is_written ? std::optional(Fixed{id}) : std::nullopt;
    }
    const NodeId from = program_.operand(reference, 0);
    const auto base = fixed_place(from);
    if (!base) return {};
    if (op == Op::ref_member) return fixed_step(*base, program_.type(from), program_.node(reference).payload);
    const auto which = constant_word(program_, program_.operand(reference, 1));
    return which ? fixed_step(*base, program_.type(from), *which) : std::nullopt;
}

std::optional<Evaluator::Fixed> Evaluator::fixed_step(Fixed from, TypeId id, std::uint32_t which) const {
    const Type& type = program_.types()[id];
    if (type.kind == TypeKind::structure) {
        from.offset += type.members[which].offset;
        return from;
    }
    if (type.kind == TypeKind::vector && which < type.width) {
        from.offset += std::uint64_t{4} * which;
        return from;
    }
    if (type.kind != TypeKind::array || (type.count != 0 && which >= type.count)) return {};
    // An element of a run-time array is bound as a whole or not at all.
    if (type.count == 0) from.needed = from.offset + (std::uint64_t{which} + 1) * type.stride;
    from.offset += std::uint64_t{which} * type.stride;
    return from;
}

std::optional<Expression> Evaluator::length(NodeId composite) {
    const Type& type = program_.types()[program_.type(composite)];
    if (type.kind == TypeKind::vector) return e_.constant(type.width);
    if (type.kind != TypeKind::array) return {};
    if (type.count != 0) return e_.constant(type.count);
    // A run-time array is a whole variable or its last member.
    RangeArray made{program_.root_variable(composite), 0, type.stride};
    const NodeId from =
        program_.node(composite).op == Op::ref_member ? program_.operand(composite, 0) : NodeId{};
    if (from)
        made.offset = program_.types()[program_.type(from)].members[program_.node(composite).payload].offset;
    const auto found = std::ranges::find(arrays_, made);
    const auto index = static_cast<std::uint32_t>(found - arrays_.begin());
    if (found == arrays_.end()) arrays_.push_back(made);
    return e_.symbol(RangeOp::array_length, index, 0, UINT32_MAX);
}

}  // namespace muster::ranges
