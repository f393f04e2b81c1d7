// Shapes of single values, from those of their operands; shapes.cpp walks the program.
#include <algorithm>
#include <bit>

#include <muster/backend-cpu/compiler/lowering/shapes.hpp>

namespace muster::cpu {
namespace {

std::uint8_t power_in(std::uint32_t word) {
    return static_cast<std::uint8_t>(std::min(std::countr_zero(word), 31));
}

bool has_offsets(const Type& type) { return type.scalar == Scalar::i32 || type.scalar == Scalar::u32; }

}  // namespace

std::optional<std::uint32_t> Shapes::constant(NodeId value, std::uint64_t word) const {
    const Node& node = program_.node(value);
    if (node.op == Op::splat) return constant(program_.operand(value, 0), 0);
    if (node.op != Op::constant) return {};
    const auto words = program_.constant_words(value);
    return words.empty() ? 0 : words[word];
}

void Shapes::evaluate(NodeId node) {
    const std::uint32_t first = first_value_[node.index], end = first_value_[node.index + 1];
    for (std::uint32_t at = first; at < end; ++at) set(values_, at, word_shape(node, at - first));
}

void Shapes::evaluate_free(NodeId node) {
    const Node& n = program_.node(node);
    const std::uint32_t first = first_value_[node.index], end = first_value_[node.index + 1];
    for (std::uint32_t at = first; at < end; ++at) {
        Shape shape = uniform_shape;
        const std::uint32_t word = at - first;
        if (n.op == Op::constant && end - first == types_.scalar_words(n.type))
            shape.aligned = power_in(*constant(node, word));
        if (n.op == Op::builtin) {
            const auto builtin = static_cast<Builtin>(n.payload);
            const Extent3 size = program_.workgroup_size();
            const bool local =
                builtin == Builtin::local_invocation_id || builtin == Builtin::global_invocation_id;
            if (local || builtin == Builtin::local_invocation_index) {
                const bool packed =
                    builtin == Builtin::global_invocation_id && word == 0 && geometry_.packed_workgroups > 1;
                const LanePattern& lanes = packed  ? geometry_.global_x
                                           : local ? geometry_.local_id[word]
                                                   : geometry_.local_index;
                shape = lanes.varies ? varying() : Shape{ShapeKind::offsets, lanes.aligned, lanes.offsets};
            }
            if (builtin == Builtin::subgroup_invocation_id)
                shape = {ShapeKind::offsets, geometry_.local_index.aligned, offsets_.counting()};
            if (builtin == Builtin::workgroup_id && word == 0) shape.offsets = geometry_.workgroup_x.offsets;
            if (builtin == Builtin::global_invocation_id && !shape.is_varying())
                shape.aligned = std::min(shape.aligned, power_in(std::array{size.x, size.y, size.z}[word]));
        }
        values_[at] = shape;
    }
}

Shape Shapes::word_shape(NodeId node, std::uint64_t word) {
    const Node& n = program_.node(node);
    const auto operands = program_.operands(node);
    const Type& type = types_[n.type];
    if (n.op == Op::load) return load(node, word);
    if (n.op == Op::subgroup_ballot) return uniform_shape;
    if (n.op == Op::subgroup_shuffle) return of(operands[1]).is_uniform() ? uniform_shape : varying();
    if (n.op == Op::array_length) return uniform_shape;
    if (n.op == Op::extract_dynamic) return dynamic_part(node);
    if (n.op == Op::compose) return composed(node, word);
    if (n.op == Op::splat || n.op == Op::swizzle || n.op == Op::extract)
        return of(operands[0], word_of_whole(program_, node, word));
    if (n.op == Op::select) {
        const bool by_word = types_[program_.type(operands[2])].kind == TypeKind::vector;
        if (!of(operands[2], by_word ? word / words_of(type.scalar) : 0).is_uniform()) return varying();
        return join(of(operands[0], word), of(operands[1], word));
    }
    if (n.op == Op::all || n.op == Op::any) {
        for (std::uint32_t k = 0; k < types_[program_.type(operands[0])].width; ++k)
            if (!of(operands[0], k).is_uniform()) return varying();
        return uniform_shape;
    }
    if (type.kind == TypeKind::scalar || type.kind == TypeKind::vector) return componentwise(node, word);
    return varying();
}

Shape Shapes::composed(NodeId node, std::uint64_t word) const {
    const bool by_word = types_.scalar_words(program_.type(node)) <= max_words;
    Shape all;
    for (const NodeId operand : program_.operands(node)) {
        const std::uint64_t words = types_.scalar_words(program_.type(operand));
        if (by_word && word < words) return of(operand, word);
        word -= words;
        for (std::uint32_t at = first_value_[operand.index]; at < first_value_[operand.index + 1]; ++at)
            all = join(all, values_[at]);
    }
    return all;
}

// Combines the operands' offsets into the result's; unknown if an operand's shape is.
template <class Combine>
Shape Shapes::combined(Shape a, Shape b, std::uint32_t aligned, Combine combine) {
    if (a.kind == ShapeKind::unknown || b.kind == ShapeKind::unknown) return {};
    std::vector<std::uint32_t> offsets(offsets_.width());
    for (std::uint32_t lane = 0; lane < offsets.size(); ++lane)
        offsets[lane] = combine(offsets_[a.offsets][lane], offsets_[b.offsets][lane]);
    const std::uint32_t id = offsets_.intern(std::move(offsets));
    return {ShapeKind::offsets, static_cast<std::uint8_t>(std::min(aligned, 31u)), id};
}

// The shape of a word that is made of bits of all words.
Shape Shapes::of_all_words(NodeId value) const {
    for (std::uint64_t w = 0; w < types_.scalar_words(program_.type(value)); ++w) {
        const Shape shape = of(value, w);
        if (shape.kind == ShapeKind::unknown) return {};
        if (!shape.is_uniform()) return varying();
    }
    return uniform_shape;
}

Shape Shapes::componentwise(NodeId node, std::uint64_t word) {
    const Node& n = program_.node(node);
    const auto operands = program_.operands(node);
    if (n.op == Op::bitcast && types_[n.type].width != types_[program_.type(operands[0])].width)
        return of_all_words(operands[0]);
    if (is_wide(types_[n.type].scalar) || is_wide(types_[program_.type(operands[0])].scalar)) {
        Shape all = uniform_shape;  // no offsets are followed through 64 bits
        for (const NodeId operand : operands)
            if (const Shape shape = of_all_words(operand); !all.is_varying() && shape != uniform_shape)
                all = shape;
        return all;
    }
    bool all_uniform = true;
    for (const NodeId operand : operands) {
        const Shape shape = of(operand, word);
        if (shape.is_varying()) return varying();
        if (shape.kind == ShapeKind::unknown) return {};
        all_uniform = all_uniform && shape.is_uniform();
    }
    const Shape a = of(operands[0], word);
    const Shape b = operands.size() > 1 ? of(operands[1], word) : uniform_shape;
    if (has_offsets(types_[program_.type(operands[0])]) && is_order_of_bases(n.op, a, b))
        return uniform_shape;
    if (!has_offsets(types_[n.type]) || !has_offsets(types_[program_.type(operands[0])]))
        return all_uniform ? uniform_shape : varying();
    const std::uint32_t least = std::min(a.aligned, b.aligned);
    const auto known = operands.size() > 1 ? constant(operands[1], word) : std::nullopt;
    const bool is_unsigned = types_[n.type].scalar == Scalar::u32;
    const auto add = [](std::uint32_t x, std::uint32_t y) { return x + y; };
    const auto sub = [](std::uint32_t x, std::uint32_t y) { return x - y; };
    if (n.op == Op::add) return combined(a, b, least, add);
    if (n.op == Op::sub) return combined(a, b, least, sub);
    if (n.op == Op::neg) return combined(uniform_shape, a, a.aligned, sub);
    if (n.op == Op::convert || n.op == Op::bitcast) return a;
    if (n.op == Op::mul) return product(node, word, a, b);
    if (known) {
        const std::uint32_t by = known.value_or(0);
        if (n.op == Op::shift_left) return shifted(a, by & 31);
        if (n.op == Op::shift_right && is_unsigned) return divided(a, by & 31, false);
        if ((n.op == Op::div || n.op == Op::rem) && is_unsigned && by != 0)
            return std::has_single_bit(by) ? divided(a, power_in(by), n.op == Op::rem)
                                           : divided_by(a, by, n.op == Op::rem);
        if (n.op == Op::bit_and && by != UINT32_MAX && std::has_single_bit(by + 1))
            return divided(a, power_in(by + 1), true);
    }
    return all_uniform ? uniform_shape : varying();
}

// True if a comparison of a value with a limit is that of their bases: both bases are multiples of a power of
// two, and the value's offsets are below it.
bool Shapes::is_order_of_bases(Op op, Shape a, Shape b) const {
    const bool value_first = op == Op::lt || op == Op::ge;
    if (!value_first && op != Op::gt && op != Op::le) return false;
    const Shape& value = value_first ? a : b;
    const Shape& limit = value_first ? b : a;
    return limit.is_uniform() && std::ranges::all_of(offsets_[value.offsets], [&](std::uint32_t x) {
               return x >> std::min(value.aligned, limit.aligned) == 0;
           });
}

Shape Shapes::product(NodeId node, std::uint64_t word, Shape a, Shape b) {
    const auto operands = program_.operands(node);
    const std::uint32_t aligned = std::uint32_t{a.aligned} + b.aligned;
    const auto times = [](std::uint32_t x, std::uint32_t y) { return x * y; };
    for (const auto& [value, factor] : {std::pair{a, operands[1]}, std::pair{b, operands[0]}}) {
        const auto known = constant(factor, word);
        if (!known) continue;
        return combined(value, uniform_shape, aligned,
                        [&](std::uint32_t x, std::uint32_t) { return times(x, *known); });
    }
    return a.is_uniform() && b.is_uniform()
               ? Shape{ShapeKind::offsets, static_cast<std::uint8_t>(std::min(aligned, 31u)), 0}
               : varying();
}

Shape Shapes::shifted(Shape value, std::uint32_t count) {
    return combined(value, uniform_shape, value.aligned + count,
                    [&](std::uint32_t x, std::uint32_t) { return x << count; });
}

// The shape of (base + offset) / 2^power, or of its remainder: offsets are known if the base can't carry into
// the result, whose base is the operation on the base.
Shape Shapes::divided(Shape value, std::uint32_t power, bool remainder) {
    if (value.is_uniform()) return uniform_shape;
    const auto offsets = offsets_[value.offsets];
    const std::uint32_t mask = (1u << power) - 1;
    if (value.aligned >= power) {
        // The base is a multiple of 2^power; offsets below the base's alignment can't wrap together with it.
        const bool below =
            std::ranges::all_of(offsets, [&](std::uint32_t x) { return x >> value.aligned == 0; });
        if (!below && !remainder) return varying();
        return combined(value, uniform_shape, remainder ? 31 : value.aligned - power,
                        [&](std::uint32_t x, std::uint32_t) { return remainder ? x & mask : x >> power; });
    }
    const bool below = std::ranges::all_of(offsets, [&](std::uint32_t x) { return x >> value.aligned == 0; });
    if (!below) return varying();
    // Offsets stay below the base's alignment, so they reach no bit at or above `power`.
    if (!remainder) return uniform_shape;
    return {ShapeKind::offsets, value.aligned, value.offsets};
}

// The shape of (base + offset) / by, or of its remainder, for any divisor. Base and divisor are multiples of
// a power of two; offsets below that don't change the quotient.
Shape Shapes::divided_by(Shape value, std::uint32_t by, bool remainder) {
    const std::uint8_t power = std::min(value.aligned, power_in(by));
    const bool below =
        std::ranges::all_of(offsets_[value.offsets], [&](std::uint32_t x) { return x >> power == 0; });
    if (!below) return varying();
    return remainder ? Shape{ShapeKind::offsets, power, value.offsets} : uniform_shape;
}

Shape Shapes::load(NodeId node, std::uint64_t word) const {
    const Place place = resolve(program_, program_.operand(node, 0));
    for (const PlaceStep& step : place.steps)
        if (of(step.index).is_varying() || of(step.index).offsets != 0) return varying();
    if (is_per_invocation(program_.variable(place.variable))) return of(place.variable, place.offset + word);
    return uniform_shape;
}

Shape Shapes::dynamic_part(NodeId node) const {
    const auto operands = program_.operands(node);
    if (!of(operands[1]).is_uniform()) return varying();
    Shape all;
    for (std::uint32_t at = first_value_[operands[0].index]; at < first_value_[operands[0].index + 1]; ++at)
        all = join(all, values_[at]);
    return all.offsets != 0 ? varying() : all;  // out of bounds gives zero, which has no offsets
}

}  // namespace muster::cpu
