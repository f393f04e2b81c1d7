#include <optional>

#include <muster/foundation/analysis/ranges/values.hpp>

namespace muster::ranges {

bool add_scaled(Sum& a, const Sum& b, std::uint32_t factor) {
    Sum result;
    result.constant = a.constant + factor * b.constant;
    const auto append = [&](ValueId atom, std::uint32_t times) {
        if (times == 0) return true;
        if (result.count == Sum::max_terms) return false;
        result.all[result.count++] = {atom, times};
        return true;
    };
    std::size_t i = 0, k = 0;
    while (i < a.count || k < b.count) {
        const bool from_a = k == b.count || (i < a.count && a.all[i].atom <= b.all[k].atom);
        const bool from_b = i == a.count || (k < b.count && b.all[k].atom <= a.all[i].atom);
        const ValueId atom = from_a ? a.all[i].atom : b.all[k].atom;
        std::uint32_t times = 0;
        if (from_a) times += a.all[i++].factor;
        if (from_b) times += factor * b.all[k++].factor;
        if (!append(atom, times)) return false;
    }
    a = result;
    return true;
}

ValueId Values::intern(const Value& value) {
    std::uint64_t hash = (static_cast<std::uint64_t>(value.kind) << 48) ^
                         (static_cast<std::uint64_t>(value.op) << 40) ^
                         (static_cast<std::uint64_t>(value.type) << 32) ^ value.payload;
    hash = (hash ^ hash_seed()) * 0xbf58476d1ce4e5b9u;
    for (const ValueId operand : value.operands)
        hash = (hash ^ (hash >> 31) ^ operand.index) * 0xbf58476d1ce4e5b9u;
    const auto next = static_cast<std::uint32_t>(all_.size());
    const ValueId at{known_.find_or_add(hash, next, [&](std::uint32_t i) { return all_[i] == value; })};
    if (at.index != next) return at;
    all_.push_back(value);
    sums_.push_back(sum_of(at));
    return at;
}

ValueId Values::opaque(Scalar type, Interval interval) {
    const auto which = static_cast<std::uint32_t>(intervals_.size());
    intervals_.push_back(interval);
    return atom(ValueKind::opaque, which, type);
}

ValueId Values::operation(Op op, Scalar type, ValueId a, ValueId b, ValueId c) {
    if (op == Op::logical_not) {
        const Value& of = all_[a.index];
        if (of.kind == ValueKind::operation && of.op == Op::logical_not) return of.operands[0];
        if (of.kind == ValueKind::constant) return constant(of.payload ^ 1u, Scalar::boolean);
    }
    return intern({.kind = ValueKind::operation, .op = op, .type = type, .operands = {a, b, c}});
}

ValueId Values::choice(ValueId condition, ValueId then, ValueId otherwise) {
    if (then == otherwise) return then;
    return intern(
        {.kind = ValueKind::choice, .type = Scalar::boolean, .operands = {condition, then, otherwise}});
}

bool Values::is_atom(ValueId id) const {
    const Sum& of = sum(id);
    return of.count == 1 && of.all[0].atom == id;
}

// The sum that represents a value whose operands' sums are known.
Sum Values::sum_of(ValueId id) const {
    const Value& value = all_[id.index];
    Sum itself;
    itself.count = 1;
    itself.all[0] = {id, 1};
    if (value.type == Scalar::boolean || is_float(value.type)) return itself;
    if (value.kind == ValueKind::constant) return Sum{.constant = value.payload};
    if (value.kind != ValueKind::operation) return itself;

    const auto constant = [&](std::size_t which) -> std::optional<std::uint32_t> {
        const Sum& of = sum(value.operands[which]);
        return of.count == 0 ? std::optional(of.constant) : std::nullopt;
    };
    const auto scaled = [&](std::size_t which, std::uint32_t factor) {
        Sum result;
        add_scaled(result, sum(value.operands[which]), factor);
        return result;
    };
    const auto added = [&](std::uint32_t factor) {
        Sum result = sum(value.operands[0]);
        return add_scaled(result, sum(value.operands[1]), factor) ? result : itself;
    };
    if (value.op == Op::add) return added(1);
    if (value.op == Op::sub) return added(UINT32_MAX);
    if (value.op == Op::neg) return scaled(0, UINT32_MAX);
    if (value.op == Op::mul && constant(1)) return scaled(0, *constant(1));
    if (value.op == Op::mul && constant(0)) return scaled(1, *constant(0));
    if (value.op == Op::shift_left && constant(1)) return scaled(0, 1u << (*constant(1) & 31u));
    const bool converts = value.op == Op::convert || value.op == Op::bitcast;
    const Scalar from = converts ? all_[value.operands[0].index].type : Scalar::f32;
    if (from == Scalar::i32 || from == Scalar::u32) return scaled(0, 1);
    return itself;
}

}  // namespace muster::ranges
