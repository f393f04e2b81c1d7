#include <algorithm>
#include <cstring>

#include <muster/foundation/analysis/known_values.hpp>
#include <muster/foundation/ir/place.hpp>
#include <muster/foundation/semantics/fold.hpp>

namespace muster {

KnownValues::KnownValues(const Program& program, const KnownDispatch& dispatch,
                         std::span<const std::uint32_t> binding_of, Extent3 workgroup, Extent3 local)
    : program_(program),
      dispatch_(dispatch),
      binding_of_(binding_of),
      workgroup_(workgroup),
      local_(local),
      values_(program.node_count()),
      variables_(program.variables().size()) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const Variable& variable = program_.variables()[i];
        if (variable.space == AddressSpace::private_)
            variables_[i] = variable.initial ? of(variable.initial) : zero(variable.type);
    }
}

KnownValue KnownValues::of(NodeId node) const {
    const Op op = program_.node(node).op;
    if (op == Op::constant) return constant(node);
    if (op == Op::builtin) return builtin(static_cast<Builtin>(program_.node(node).payload));
    return values_[node.index];
}

void KnownValues::evaluate(NodeId node) {
    const Node& is = program_.node(node);
    const auto operands = program_.operands(node);
    KnownValue& value = values_[node.index];
    if (is.op == Op::declare)
        variables_[is.payload] =
            operands.empty() ? zero(program_.variables()[is.payload].type) : of(operands[0]);
    else if (is.op == Op::store)  // a part of a variable leaves nothing known of it
        variables_[program_.root_variable(operands[0]).index] =
            is_followed(operands[0]) ? of(operands[1]) : KnownValue();
    else if (is.op == Op::load)
        value = loaded(operands[0]);
    else if (is.op == Op::array_length)
        value = length(operands[0]);
    else
        value = computed(node);
}

bool KnownValues::is_followed(NodeId reference) const {
    const Node& is = program_.node(reference);
    if (is.op != Op::ref_variable) return false;
    const AddressSpace space = program_.variables()[is.payload].space;
    return space == AddressSpace::function || space == AddressSpace::private_;
}

KnownValue KnownValues::zero(TypeId type) const {
    const Type& is = program_.types()[type];
    const bool is_followed =
        (is.kind == TypeKind::scalar || is.kind == TypeKind::vector) && !is_wide(is.scalar);
    return {is_followed ? is.width : 0, {}};
}

KnownValue KnownValues::constant(NodeId node) const {
    KnownValue all = zero(program_.type(node));
    const auto words = program_.constant_words(node);
    if (all.is_known() && !words.empty()) std::ranges::copy(words.first(all.width), all.words.begin());
    return all;
}

KnownValue KnownValues::builtin(Builtin which) const {
    const Extent3 size = program_.workgroup_size();
    if (which == Builtin::global_invocation_id)
        return KnownValue::vector({workgroup_.x * size.x + local_.x, workgroup_.y * size.y + local_.y,
                                   workgroup_.z * size.z + local_.z});
    if (which == Builtin::local_invocation_id) return KnownValue::vector(local_);
    if (which == Builtin::local_invocation_index)
        return KnownValue::scalar(local_.x + size.x * (local_.y + size.y * local_.z));
    if (which == Builtin::workgroup_id) return KnownValue::vector(workgroup_);
    if (which == Builtin::num_workgroups) return KnownValue::vector(dispatch_.grid);
    return {};
}

KnownValue KnownValues::computed(NodeId node) const {
    const Node& is = program_.node(node);
    if (!is_exact(is.op) || !zero(is.type).is_known()) return {};
    std::array<KnownValue, 4> values;
    std::array<ConstantValue, 4> operands;
    const auto from = program_.operands(node);
    if (from.size() > operands.size()) return {};
    for (std::size_t i = 0; i < from.size(); ++i) {
        values[i] = of(from[i]);
        if (!values[i].is_known()) return {};
        operands[i] = {program_.type(from[i]), {values[i].words.data(), values[i].width}};
    }
    const auto words =
        compute(is.op, program_.types(), is.type, std::span(operands).first(from.size()), is.payload);
    if (!words) return {};
    KnownValue made{static_cast<std::uint32_t>(words->size()), {}};
    std::ranges::copy(*words, made.words.begin());
    return made;
}

KnownValue KnownValues::loaded(NodeId reference) const {
    if (is_followed(reference)) return variables_[program_.node(reference).payload];
    const VariableId root = program_.root_variable(reference);
    if (!program_.variable(root).is_binding()) return {};
    const auto known = binding(root).value;
    KnownValue all = zero(program_.type(reference));
    const std::uint32_t bytes = info(program_.types()[program_.type(reference)].scalar).bytes;
    if (known.empty() || !all.is_known() || bytes != sizeof(std::uint32_t)) return {};
    const Place place = resolve(program_, reference, Layout::host);
    std::uint64_t offset = place.offset;
    for (const PlaceStep& step : place.steps) {
        const KnownValue index = of(step.index);
        if (!index.is_known()) return {};
        offset += index.words[0] * step.stride;
    }
    const std::uint64_t size = all.width * sizeof(std::uint32_t);
    if (offset > known.size() || known.size() - offset < size) return {};
    std::memcpy(all.words.data(), known.data() + offset, size);
    return all;
}

KnownValue KnownValues::length(NodeId array) const {
    const VariableId root = program_.root_variable(array);
    const RuntimeArray of = runtime_array(program_.types(), program_.variable(root).type);
    return KnownValue::scalar(static_cast<std::uint32_t>(of.length(binding(root).bytes)));
}

}  // namespace muster
