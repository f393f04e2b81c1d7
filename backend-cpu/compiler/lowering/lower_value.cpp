// Operations on values: which of their words are computed once, and which per lane.
#include <muster/backend-cpu/compiler/lowering/lowering.hpp>

namespace muster::cpu {
llvm::Value* Lowering::as_vector(const Lane& lane) {
    if (lane.varying) return lane.value;
    llvm::Value* all = as_vector(lane.value);
    return lane.offsets == 0 ? all : b_.CreateAdd(all, lane_constants(offsets_[lane.offsets]));
}

Lane Lowering::shaped(Shape shape, llvm::Value* value) const {
    return {.value = value, .offsets = shape.is_varying() ? 0 : shape.offsets, .varying = shape.is_varying()};
}

// The lane in the form that `shape` asks for: a scalar may become a vector, never the reverse.
Lane Lowering::fit(const Lane& lane, Shape shape) {
    if (!shape.is_varying() || lane.varying) return lane;
    return {.value = as_vector(lane), .varying = true};
}

Lanes Lowering::value(NodeId node) {
    if (program_.node(node).op == Op::constant) return constant(node);
    if (program_.node(node).op == Op::builtin) return builtin(node);
    if (const auto handed = slots_of_.find(node.index); handed != slots_of_.end()) {
        Lanes lanes = values_[node.index];
        for (std::size_t w = 0; w < lanes.size(); ++w)
            lanes[w].value = b_.CreateLoad(lanes[w].value->getType(), handed->second[w]);
        return lanes;
    }
    return values_[node.index];
}

Lane Lowering::word_of(NodeId node, std::uint64_t word) { return value(node)[word]; }

Lanes Lowering::constant(NodeId node) {
    const auto bits = program_.constant_words(node);
    const auto words = words_of(program_.type(node));
    Lanes lanes;
    lanes.reserve(words.size());
    for (std::size_t w = 0; w < words.size(); ++w) {
        const std::uint32_t word = bits.empty() ? 0 : bits[w];
        llvm::Constant* constant = b_.getInt32(word);
        if (words[w].scalar == Scalar::boolean) constant = b_.getInt1(word != 0);
        if (words[w].scalar == Scalar::f32)
            constant = llvm::ConstantFP::get(
                context_, llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, word)));
        lanes.push_back({.value = constant});
    }
    return lanes;
}

Lanes Lowering::builtin(NodeId node) {
    const auto which = static_cast<Builtin>(program_.node(node).payload);
    const Extent3 size = program_.workgroup_size();
    const std::array sizes{size.x, size.y, size.z};
    const auto local = [&](unsigned k) -> Lane {
        const LanePattern& pattern = k < 3 ? geometry_.local_id[k] : geometry_.local_index;
        if (!pattern.varies || width_ == 1)
            return {.value = local_[k], .offsets = pattern.varies ? 0 : pattern.offsets};
        llvm::Value* index = as_vector({.value = local_[3], .offsets = offsets_.counting()});
        if (k > 0 && k < 3) index = b_.CreateUDiv(index, as_vector(word(k == 1 ? size.x : size.x * size.y)));
        if (k < 2) index = b_.CreateURem(index, as_vector(word(sizes[k])));
        return {.value = index, .varying = true};
    };
    switch (which) {
        case Builtin::workgroup_id:
            return {{.value = workgroup_[0], .offsets = geometry_.workgroup_x.offsets},
                    {workgroup_[1]},
                    {workgroup_[2]}};
        case Builtin::num_workgroups: return {{grid_[0]}, {grid_[1]}, {grid_[2]}};
        case Builtin::local_invocation_index: return {local(3)};
        case Builtin::local_invocation_id: return {local(0), local(1), local(2)};
        case Builtin::subgroup_invocation_id: return {{.value = word(0), .offsets = offsets_.counting()}};
        case Builtin::subgroup_size: return {{word(width_)}};
        case Builtin::subgroup_id: return {{subgroup_}};
        case Builtin::num_subgroups: return {{word(geometry_.subgroups)}};
        case Builtin::global_invocation_id: break;
    }
    Lanes lanes;
    for (unsigned k = 0; k < 3; ++k) {
        Lane lane = local(k);
        if (k == 0 && geometry_.packed_workgroups > 1) lane.offsets = geometry_.global_x.offsets;
        llvm::Value* first = b_.CreateMul(workgroup_[k], word(sizes[k]));
        lane.value = b_.CreateAdd(lane.varying ? as_vector(first) : first, lane.value);
        lanes.push_back(lane);
    }
    return lanes;
}

void Lowering::evaluate(NodeId node) {
    const Op op = program_.node(node).op;
    Lanes lanes;
    if (op == Op::array_length) {
        lanes = {{length_of(program_.root_variable(program_.operand(node, 0)))}};
    } else if (op == Op::compose || op == Op::extract || op == Op::swizzle || op == Op::splat) {
        lanes = part(node);
    } else if (op == Op::extract_dynamic) {
        lanes = dynamic_part(node);
    } else if (op == Op::all || op == Op::any) {
        lanes = {reduced(node)};
    } else if (op == Op::subgroup_ballot) {
        lanes = ballot(node);
    } else if (op == Op::subgroup_shuffle) {
        lanes = shuffle(node);
    } else {
        lanes = componentwise(node);
    }
    values_[node.index] = std::move(lanes);
}

// Rearranges words of other values.
Lanes Lowering::part(NodeId node) {
    const Node& n = program_.node(node);
    Lanes lanes;
    if (n.op == Op::compose) {
        for (const NodeId operand : program_.operands(node))
            for (const Lane& lane : value(operand)) lanes.push_back(lane);
    } else {
        const NodeId whole = program_.operand(node, 0);
        const Type& of = types_[program_.type(whole)];
        const std::uint64_t words = types_.scalar_words(n.type);
        const Lanes all = value(whole);
        const std::uint64_t each =
            of.kind == TypeKind::scalar || of.kind == TypeKind::vector ? muster::words_of(of.scalar) : 1;
        std::uint64_t first = n.payload * each;
        if (of.kind == TypeKind::array) first = n.payload * types_.scalar_words(of.element);
        if (of.kind == TypeKind::structure) first = member_offset(types_, of, n.payload, Layout::packed);
        for (std::uint64_t w = 0; w < words; ++w) {
            if (n.op == Op::splat) lanes.push_back(all[w % each]);
            if (n.op == Op::swizzle)
                lanes.push_back(all[((n.payload >> (2 * (w / each))) & 3) * each + w % each]);
            if (n.op == Op::extract) lanes.push_back(all[first + w]);
        }
    }
    for (std::size_t w = 0; w < lanes.size(); ++w) lanes[w] = fit(lanes[w], shapes_.of(node, w));
    return lanes;
}

Lanes Lowering::componentwise(NodeId node) {
    const Node& n = program_.node(node);
    const auto operands = program_.operands(node);
    if (n.op == Op::bitcast && types_[n.type].width != types_[program_.type(operands[0])].width)
        return bitcast_of_words(node);
    std::vector<Lanes> of;
    for (const NodeId operand : operands) of.push_back(value(operand));
    const Scalar from = types_[program_.type(operands[0])].scalar, to = types_[n.type].scalar;
    Lanes lanes;
    for (std::uint32_t k = 0; k < types_[n.type].width; ++k) {
        const Shape shape = shapes_.of(node, k * std::uint64_t{muster::words_of(to)});
        std::array<llvm::Value*, 3> given{};
        for (std::size_t o = 0; o < operands.size(); ++o) {
            const Type& type = types_[program_.type(operands[o])];
            const auto word = [&](std::uint32_t which) {
                const Lane& lane = of[o][which];
                return shape.is_varying() ? as_vector(lane) : lane.value;
            };
            const std::uint32_t which = type.width == 1 ? 0 : k;
            given[o] = is_wide(type.scalar) ? joined(b_, type.scalar, word(2 * which), word(2 * which + 1))
                                            : word(which);
        }
        const std::span<llvm::Value* const> all = std::span(given).first(operands.size());
        llvm::Value* result = emit_operation(b_, options_, n.op, from, to, all);
        if (is_wide(to))
            for (llvm::Value* half : split(b_, result)) lanes.push_back(shaped(shape, half));
        else
            lanes.push_back(shaped(shape, result));
    }
    return lanes;
}

// A bitcast that changes the number of components: to words of 32 bits, and from those.
Lanes Lowering::bitcast_of_words(NodeId node) {
    const NodeId operand = program_.operand(node, 0);
    const Scalar from = types_[program_.type(operand)].scalar, to = types_[program_.type(node)].scalar;
    const bool varies = shapes_.of(node, 0).is_varying();
    std::vector<llvm::Value*> given;
    for (const Lane& lane : value(operand)) given.push_back(varies ? as_vector(lane) : lane.value);
    const auto number = [&](std::uint32_t x) { return varies ? as_vector(word(x)) : word(x); };
    std::vector<llvm::Value*> words;
    for (std::size_t w = 0; w < given.size(); ++w) {
        if (from == Scalar::f16) {
            const auto half = [&](llvm::Value* x) {  // any NaN as the canonical one
                llvm::Value* magnitude = b_.CreateAnd(x, number(0x7fff));
                return b_.CreateSelect(b_.CreateICmpUGT(magnitude, number(0x7c00)), number(0x7e00), x);
            };
            words.push_back(b_.CreateOr(half(given[w]), b_.CreateShl(half(given[w + 1]), number(16))));
            ++w;
        } else if (from == Scalar::f64) {
            llvm::Value* bits = emit_operation(b_, options_, Op::bitcast, from, Scalar::u64,
                                               std::array{joined(b_, from, given[w], given[w + 1])});
            for (llvm::Value* half : split(b_, bits)) words.push_back(half);
            ++w;
        } else if (from == Scalar::f32) {
            words.push_back(
                emit_operation(b_, options_, Op::bitcast, from, Scalar::u32, std::array{given[w]}));
        } else {
            words.push_back(given[w]);
        }
    }
    Lanes lanes;
    for (llvm::Value* bits : words) {
        if (to == Scalar::f16) {
            lanes.push_back({.value = b_.CreateAnd(bits, number(0xffff)), .varying = varies});
            lanes.push_back({.value = b_.CreateLShr(bits, number(16)), .varying = varies});
            continue;
        }
        if (to == Scalar::f32)
            bits = emit_operation(b_, options_, Op::bitcast, Scalar::u32, to, std::array{bits});
        lanes.push_back({.value = bits, .varying = varies});
    }
    return lanes;
}

Lane Lowering::reduced(NodeId node) {
    const bool is_all = program_.node(node).op == Op::all;
    const Shape shape = shapes_.of(node);
    llvm::Value* sum = nullptr;
    for (const Lane& lane : value(program_.operand(node, 0))) {
        llvm::Value* next = shape.is_varying() ? as_vector(lane) : lane.value;
        if (sum) next = is_all ? b_.CreateAnd(sum, next) : b_.CreateOr(sum, next);
        sum = next;
    }
    return shaped(shape, sum);
}

// Compares the index with each element's; larger arrays are in memory
// (large_values.hpp). Out of bounds: zero.
Lanes Lowering::dynamic_part(NodeId node) {
    const NodeId whole = program_.operand(node, 0);
    const Type& of = types_[program_.type(whole)];
    const std::uint64_t count = of.kind == TypeKind::array ? of.count : of.width;
    const std::uint64_t words = types_.scalar_words(program_.type(node));
    const Lanes all = value(whole);
    const Lane index = word_of(program_.operand(node, 1), 0);
    Lanes lanes;
    const bool varies = shapes_.of(node).is_varying();
    const auto in_form = [&](const Lane& lane) { return varies ? as_vector(lane) : lane.value; };
    for (std::uint64_t w = 0; w < words; ++w) {
        llvm::Value* chosen = nullptr;
        for (std::uint64_t k = 0; k < count; ++k) {
            llvm::Value* element = in_form(all[k * words + w]);
            if (!chosen) chosen = llvm::Constant::getNullValue(element->getType());
            llvm::Value* here =
                b_.CreateICmpEQ(in_form(index), in_form({word(static_cast<std::uint32_t>(k))}));
            chosen = b_.CreateSelect(here, element, chosen);
        }
        lanes.push_back(shaped(shapes_.of(node, w), chosen));
    }
    return lanes;
}

}  // namespace muster::cpu
