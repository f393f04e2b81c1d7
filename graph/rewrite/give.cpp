#include <algorithm>
#include <array>

#include <muster/foundation/base/f16.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/rewrite/give.hpp>

namespace muster::graph {
namespace {

using Kind = Term::Kind;

template <class T>
Tensor scalar_of(ElementType element, float number) {
    const T value = static_cast<T>(number);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    return Tensor::own(element, {}, {bytes, bytes + sizeof(T)});
}

Tensor scalar(ElementType element, float number) {
    switch (element) {
        case ElementType::f32: return scalar_of<float>(element, number);
        case ElementType::f16: return scalar_of<f16>(element, number);
        case ElementType::i8: return scalar_of<std::int8_t>(element, number);
        case ElementType::u8:
        case ElementType::boolean: return scalar_of<std::uint8_t>(element, number);
        case ElementType::i32: return scalar_of<std::int32_t>(element, number);
        case ElementType::i64: return scalar_of<std::int64_t>(element, number);
    }
    return {};
}

class Giver {
  public:
    Giver(ConversionSite& site, const PatternTree& tree, const PatternTree& matched, const Match& match)
        : site_(site), tree_(tree), matched_(matched), match_(match), made_(tree.terms.size()) {}

    Result<ValueId> build(std::uint32_t term, ElementType wanted);

  private:
    Result<ValueId> operation(const Term& term, ElementType wanted);
    Result<ValueId> along(const Term& term, ElementType wanted);
    Result<std::vector<NamedAttribute>> attributes(const Term& term) const;
    Attribute attribute(const AttributeTerm& term, AttributeKind kind) const;
    float number(const Reference& reference) const;
    NodeId node(std::string_view name) const {
        return draft().value(match_.values[matched_.find(name)]).producer;
    }
    bool is_absent_capture(const Term& term) const {
        return term.kind == Kind::capture && !match_.values[matched_.find(term.name)];
    }
    bool has_own_type(const Term& term) const;
    const Draft& draft() const { return site_.draft(); }

    ConversionSite& site_;
    const PatternTree& tree_;
    const PatternTree& matched_;
    const Match& match_;
    std::vector<std::optional<ValueId>> made_;  // by term, of operations
};

/// An attribute of a matched node, or a captured constant, as a number.
float Giver::number(const Reference& reference) const {
    if (reference.attribute.empty()) {
        const Tensor* tensor = draft().constant(match_.values[matched_.find(reference.name)]);
        if (!tensor || tensor->count() == 0) return 0;
        return is_float(tensor->element()) ? floats(*tensor)[0] : static_cast<float>(integers(*tensor)[0]);
    }
    const NodeId id = node(reference.name);
    const AttributeInfo* row = info(draft().node(id).op).attribute(reference.attribute);
    if (row->kind == AttributeKind::number) return draft().attributes(id).number(reference.attribute);
    return static_cast<float>(draft().attributes(id).integer(reference.attribute));
}

Attribute Giver::attribute(const AttributeTerm& term, AttributeKind kind) const {
    if (!term.values.empty()) return term.values[0];
    if (kind == AttributeKind::number) return number(term.from);
    if (kind == AttributeKind::integer) return static_cast<std::int64_t>(number(term.from));
    const auto said = draft().attributes(node(term.from.name)).said();
    const auto found = std::ranges::find(said, term.from.attribute, &NamedAttribute::name);
    return found == said.end() ? Attribute(std::vector<std::int64_t>{}) : found->value;
}

Result<std::vector<NamedAttribute>> Giver::attributes(const Term& term) const {
    std::vector<NamedAttribute> result;
    const auto set = [&](NamedAttribute attribute) {
        std::erase_if(result, [&](const NamedAttribute& other) { return other.name == attribute.name; });
        result.push_back(std::move(attribute));
    };
    for (const AttributeTerm& item : term.attributes) {
        if (!item.name.empty()) {
            set({item.name, attribute(item, info(term.op).attribute(item.name)->kind)});
            continue;
        }
        for (const NamedAttribute& said : draft().attributes(node(item.from.name)).said()) set(said);
    }
    return result;
}

/// False of what takes its type from where it stands: numbers, and operations on numbers alone.
bool Giver::has_own_type(const Term& term) const {
    const auto input_has = [&](std::size_t at) { return has_own_type(tree_.terms[term.inputs[at]]); };
    if (term.kind == Kind::number || term.kind == Kind::reference) return false;
    if (term.kind == Kind::either) return input_has(is_absent_capture(tree_.terms[term.inputs[0]]) ? 1 : 0);
    if (term.kind != Kind::operation) return true;
    const OperatorInfo& schema = info(term.op);
    const char variable = schema.output(0).variable;
    bool depends = false;
    for (std::size_t i = 0; i < term.inputs.size(); ++i) {
        if (!variable || schema.input(i).variable != variable) continue;
        if (input_has(i)) return true;
        depends = true;
    }
    return !depends;
}

Result<ValueId> Giver::operation(const Term& term, ElementType wanted_of_result) {
    const OperatorInfo& schema = info(term.op);
    std::vector<ValueId> inputs(term.inputs.size());
    std::array<ElementType, 26> by_variable{};
    if (!has_own_type(term)) by_variable.fill(wanted_of_result);
    const auto of_port = [&](std::size_t i) -> ElementType& {
        return by_variable[static_cast<std::size_t>(schema.input(i).variable - 'A')];
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!has_own_type(tree_.terms[term.inputs[i]])) continue;
        inputs[i] = TRY(build(term.inputs[i], ElementType::f32));
        if (inputs[i] && schema.input(i).variable) of_port(i) = draft().element(inputs[i]);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (has_own_type(tree_.terms[term.inputs[i]])) continue;
        const bool indices = !schema.input(i).variable && schema.input(i).allowed.contains(ElementType::i64);
        const ElementType wanted = schema.input(i).variable ? of_port(i)
                                   : indices                ? ElementType::i64
                                                            : ElementType::f32;
        inputs[i] = TRY(build(term.inputs[i], wanted));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i] && !schema.input(i).optional) return ValueId{};
    }
    return site_.add_node({.op = term.op, .inputs = std::move(inputs), .attributes = TRY(attributes(term))});
}

Result<ValueId> Giver::along(const Term& term, ElementType wanted) {
    const ValueId vector = TRY(build(term.inputs[0], wanted)), like = TRY(build(term.inputs[1], wanted));
    if (!vector || !like) return ValueId{};
    const std::size_t rank = draft().shape(like).size();
    std::vector<std::int64_t> shape(rank, 1);
    const std::int64_t axis = term.integers[0] + (term.integers[0] < 0 ? static_cast<std::int64_t>(rank) : 0);
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank))
        return fail(ErrorCode::invalid_program, "along() has an axis that the value doesn't have.");
    shape[static_cast<std::size_t>(axis)] = -1;
    const ValueId to = site_.add_constant(
        Tensor::of<std::int64_t>({static_cast<std::int64_t>(rank)}, std::span<const std::int64_t>(shape)));
    return site_.add_node({.op = Operator::reshape, .inputs = {vector, to}});
}

Result<ValueId> Giver::build(std::uint32_t index, ElementType wanted) {
    const Term& term = tree_.terms[index];
    switch (term.kind) {
        case Kind::capture: return match_.values[matched_.find(term.name)];
        case Kind::absent: return ValueId{};
        case Kind::number: return site_.add_constant(scalar(wanted, term.number));
        case Kind::reference: return site_.add_constant(scalar(wanted, number(term.reference)));
        case Kind::integers:
            return site_.add_constant(
                Tensor::of<std::int64_t>({static_cast<std::int64_t>(term.integers.size())},
                                         std::span<const std::int64_t>(term.integers)));
        case Kind::either: {
            const ValueId first = TRY(build(term.inputs[0], wanted));
            return first ? Result<ValueId>(first) : build(term.inputs[1], wanted);
        }
        case Kind::along:
        case Kind::operation: break;
    }
    if (!made_[index])
        made_[index] = TRY(term.kind == Kind::along ? along(term, wanted) : operation(term, wanted));
    return *made_[index];
}

}  // namespace

Result<ValueId> give(ConversionSite& site, const PatternTree& replacement, const PatternTree& matched,
                     const Match& match) {
    const ValueId result =
        TRY(Giver(site, replacement, matched, match).build(replacement.root, ElementType::f32));
    if (result) return result;
    return fail(ErrorCode::invalid_program, "The replacement is absent.");
}

}  // namespace muster::graph
