#include <algorithm>
#include <array>

#include <muster/backend-cpu/compiler/lowering/node_values.hpp>

namespace muster::cpu {

Lanes NodeValues::value(NodeId node) {
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

void NodeValues::put_in_slots(NodeId node) {
    std::vector<Value*> slots;
    for (const Lane& lane : values_[node.index]) {
        slots.push_back(b_.slot(lane.value->getType(), "handed"));
        b_.CreateStore(lane.value, slots.back());
    }
    slots_of_[node.index] = std::move(slots);
}

Lanes NodeValues::constant(NodeId node) {
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
                b_.getContext(), llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, word)));
        lanes.push_back({.value = constant});
    }
    return lanes;
}

Lanes NodeValues::builtin(NodeId node) {
    const auto which = static_cast<Builtin>(program_.node(node).payload);
    const Extent3 size = program_.workgroup_size();
    const std::array sizes{size.x, size.y, size.z};
    const auto local = [&](unsigned k) -> Lane {
        const LanePattern& pattern = k < 3 ? geometry_.local_id[k] : geometry_.local_index;
        if (!pattern.varies || width_ == 1)
            return {.value = position_.local[k], .offsets = pattern.varies ? 0 : pattern.offsets};
        Value* index = b_.as_vector({.value = position_.local[3], .offsets = offsets_.counting()});
        if (k > 0 && k < 3)
            index = b_.CreateUDiv(index, b_.as_vector(b_.word(k == 1 ? size.x : size.x * size.y)));
        if (k < 2) index = b_.CreateURem(index, b_.as_vector(b_.word(sizes[k])));
        return {.value = index, .varying = true};
    };
    switch (which) {
        case Builtin::workgroup_id:
            return {{.value = position_.workgroup[0], .offsets = geometry_.workgroup_x.offsets},
                    {position_.workgroup[1]},
                    {position_.workgroup[2]}};
        case Builtin::num_workgroups: return {{position_.grid[0]}, {position_.grid[1]}, {position_.grid[2]}};
        case Builtin::local_invocation_index: return {local(3)};
        case Builtin::local_invocation_id: return {local(0), local(1), local(2)};
        case Builtin::subgroup_invocation_id: return {{.value = b_.word(0), .offsets = offsets_.counting()}};
        case Builtin::subgroup_size: return {{b_.word(width_)}};
        case Builtin::subgroup_id: return {{position_.subgroup}};
        case Builtin::num_subgroups: return {{b_.word(geometry_.subgroups)}};
        case Builtin::global_invocation_id: break;
    }
    Lanes lanes;
    for (unsigned k = 0; k < 3; ++k) {
        Lane lane = local(k);
        if (k == 0 && geometry_.packed_workgroups > 1) lane.offsets = geometry_.global_x.offsets;
        Value* first = b_.CreateMul(position_.workgroup[k], b_.word(sizes[k]));
        lane.value = b_.CreateAdd(lane.varying ? b_.as_vector(first) : first, lane.value);
        lanes.push_back(lane);
    }
    return lanes;
}

void NodeValues::evaluate(NodeId node) {
    using Form = std::pair<Op, Lanes (NodeValues::*)(NodeId)>;
    static constexpr std::array<Form, 10> forms{{{Op::array_length, &NodeValues::length},
                                                 {Op::compose, &NodeValues::part},
                                                 {Op::extract, &NodeValues::part},
                                                 {Op::swizzle, &NodeValues::part},
                                                 {Op::splat, &NodeValues::part},
                                                 {Op::extract_dynamic, &NodeValues::dynamic_part},
                                                 {Op::all, &NodeValues::reduced},
                                                 {Op::any, &NodeValues::reduced},
                                                 {Op::subgroup_ballot, &NodeValues::ballot},
                                                 {Op::subgroup_shuffle, &NodeValues::shuffle}}};
    const auto* const form = std::ranges::find(forms, program_.node(node).op, &Form::first);
    values_[node.index] = form == forms.end() ? componentwise(node) : (this->*form->second)(node);
}

Lanes NodeValues::length(NodeId node) {
    return {{shared_.length_of(program_.root_variable(program_.operand(node, 0)))}};
}

// Rearranges words of other values.
Lanes NodeValues::part(NodeId node) {
    Lanes lanes;
    if (program_.node(node).op == Op::compose) {
        for (const NodeId operand : program_.operands(node))
            for (const Lane& lane : value(operand)) lanes.push_back(lane);
    } else {
        const Lanes whole = value(program_.operand(node, 0));
        for (std::uint64_t w = 0; w < types_.scalar_words(program_.type(node)); ++w)
            lanes.push_back(whole[word_of_whole(program_, node, w)]);
    }
    for (std::size_t w = 0; w < lanes.size(); ++w) lanes[w] = b_.fit(lanes[w], shapes_.of(node, w));
    return lanes;
}

Lanes NodeValues::componentwise(NodeId node) {
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
        std::array<Value*, 3> given{};
        for (std::size_t o = 0; o < operands.size(); ++o) {
            const Type& type = types_[program_.type(operands[o])];
            const auto word = [&](std::uint32_t which) {
                const Lane& lane = of[o][which];
                return shape.is_varying() ? b_.as_vector(lane) : lane.value;
            };
            const std::uint32_t which = type.width == 1 ? 0 : k;
            given[o] = is_wide(type.scalar) ? joined(b_, type.scalar, word(2 * which), word(2 * which + 1))
                                            : word(which);
        }
        const std::span<Value* const> all = std::span(given).first(operands.size());
        Value* result = emit_operation(b_, options_, n.op, from, to, all);
        if (is_wide(to))
            for (Value* half : split(b_, result)) lanes.push_back(shaped(shape, half));
        else
            lanes.push_back(shaped(shape, result));
    }
    return lanes;
}

// A bitcast that changes the number of components: to words of 32 bits, and from those.
Lanes NodeValues::bitcast_of_words(NodeId node) {
    const NodeId operand = program_.operand(node, 0);
    const Scalar from = types_[program_.type(operand)].scalar, to = types_[program_.type(node)].scalar;
    const bool varies = shapes_.of(node, 0).is_varying();
    std::vector<Value*> given;
    for (const Lane& lane : value(operand)) given.push_back(varies ? b_.as_vector(lane) : lane.value);
    const auto number = [&](std::uint32_t x) { return varies ? b_.as_vector(b_.word(x)) : b_.word(x); };
    std::vector<Value*> words;
    for (std::size_t w = 0; w < given.size(); ++w) {
        if (from == Scalar::f16) {
            const auto half = [&](Value* x) {  // any NaN as the canonical one
                Value* magnitude = b_.CreateAnd(x, number(0x7fff));
                return b_.CreateSelect(b_.CreateICmpUGT(magnitude, number(0x7c00)), number(0x7e00), x);
            };
            words.push_back(b_.CreateOr(half(given[w]), b_.CreateShl(half(given[w + 1]), number(16))));
            ++w;
        } else if (from == Scalar::f64) {
            Value* bits = emit_operation(b_, options_, Op::bitcast, from, Scalar::u64,
                                         std::array{joined(b_, from, given[w], given[w + 1])});
            for (Value* half : split(b_, bits)) words.push_back(half);
            ++w;
        } else if (from == Scalar::f32) {
            words.push_back(
                emit_operation(b_, options_, Op::bitcast, from, Scalar::u32, std::array{given[w]}));
        } else {
            words.push_back(given[w]);
        }
    }
    Lanes lanes;
    for (Value* bits : words) {
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

Lanes NodeValues::reduced(NodeId node) {
    const bool is_all = program_.node(node).op == Op::all;
    const Shape shape = shapes_.of(node);
    Value* sum = nullptr;
    for (const Lane& lane : value(program_.operand(node, 0))) {
        Value* next = shape.is_varying() ? b_.as_vector(lane) : lane.value;
        if (sum) next = is_all ? b_.CreateAnd(sum, next) : b_.CreateOr(sum, next);
        sum = next;
    }
    return {shaped(shape, sum)};
}

// Compares the index with each element's; larger arrays are in memory
// (large_values.hpp). Out of bounds: zero.
Lanes NodeValues::dynamic_part(NodeId node) {
    const NodeId whole = program_.operand(node, 0);
    const Type& of = types_[program_.type(whole)];
    const std::uint64_t count = of.kind == TypeKind::array ? of.count : of.width;
    const std::uint64_t words = types_.scalar_words(program_.type(node));
    const Lanes all = value(whole);
    const Lane index = word(program_.operand(node, 1), 0);
    Lanes lanes;
    const bool varies = shapes_.of(node).is_varying();
    const auto in_form = [&](const Lane& lane) { return varies ? b_.as_vector(lane) : lane.value; };
    for (std::uint64_t w = 0; w < words; ++w) {
        Value* chosen = nullptr;
        for (std::uint64_t k = 0; k < count; ++k) {
            Value* element = in_form(all[k * words + w]);
            if (!chosen) chosen = llvm::Constant::getNullValue(element->getType());
            Value* here = b_.CreateICmpEQ(in_form(index), in_form({b_.word(static_cast<std::uint32_t>(k))}));
            chosen = b_.CreateSelect(here, element, chosen);
        }
        lanes.push_back(shaped(shapes_.of(node, w), chosen));
    }
    return lanes;
}

// With operations of subgroups, a subgroup is as wide as the code: its invocations are the lanes.
Lanes NodeValues::ballot(NodeId node) {
    Value* votes = b_.both(b_.mask, b_.as_vector(word(program_.operand(node, 0), 0)));
    Value* bits = b_.CreateZExt(b_.bits_of(votes), b_.getInt128Ty());
    Lanes lanes;
    for (unsigned k = 0; k < 4; ++k)
        lanes.push_back({b_.CreateTrunc(b_.CreateLShr(bits, 32 * k), b_.getInt32Ty())});
    return lanes;
}

// Reading from an inactive lane gives whatever is there.
Lanes NodeValues::shuffle(NodeId node) {
    const Lane index = word(program_.operand(node, 1), 0);
    Lanes lanes;
    for (const Lane& lane : value(program_.operand(node, 0))) {
        if (lane.is_uniform()) {
            lanes.push_back(b_.fit(lane, shapes_.of(node, lanes.size())));
        } else if (index.is_uniform()) {
            Value* from = b_.CreateAnd(index.value, b_.word(width_ - 1));
            lanes.push_back({b_.CreateExtractElement(b_.as_vector(lane), from)});
        } else {
            Value* from = b_.CreateAnd(b_.as_vector(index), b_.as_vector(b_.word(width_ - 1)));
            lanes.push_back({.value = permuted(b_.as_vector(lane), from), .varying = true});
        }
    }
    return lanes;
}

// Element `from[k]` of `lanes`, for each k. A permutation that is known is an instruction or a few, another
// one goes through memory.
Value* NodeValues::permuted(Value* lanes, Value* from) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(from)) {
        std::vector<int> order;
        for (unsigned k = 0; k < width_; ++k)
            if (auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(k)))
                order.push_back(static_cast<int>(number->getZExtValue()));
        if (order.size() == width_) return b_.CreateShuffleVector(lanes, order);
    }
    llvm::Type* element = llvm::cast<llvm::VectorType>(lanes->getType())->getElementType();
    Value* memory = b_.slot(lanes->getType(), "shuffled");
    b_.CreateStore(lanes, memory);
    Value* result = llvm::PoisonValue::get(lanes->getType());
    for (unsigned k = 0; k < width_; ++k) {
        Value* place = b_.CreateInBoundsGEP(element, memory, b_.CreateExtractElement(from, k));
        result = b_.CreateInsertElement(result, b_.CreateLoad(element, place), k);
    }
    return result;
}

}  // namespace muster::cpu
