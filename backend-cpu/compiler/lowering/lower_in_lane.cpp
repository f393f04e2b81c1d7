// A value of one lane, computed again with scalars from memory: if that takes a load and a few operations, it
// is cheaper than to take the lane out of a vector.
#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/lowering.hpp>

namespace muster::cpu {
namespace {

// Largest stride, in bytes, from a lane's element to the next one's.
constexpr std::uint64_t most_stride = std::uint64_t{1} << 20;

// Loads and operations that a lane's index or operand may take: as many as taking it out of a vector costs.
constexpr int most_operations = 5;

bool is_small_integer(const Type& type) {
    return type.kind == TypeKind::scalar && type.scalar != Scalar::f16 && type.scalar != Scalar::f32 &&
           !is_wide(type.scalar);
}

// True for operations on integers that scalars have an instruction for, or two.
bool is_quick(Op op) {
    return op == Op::add || op == Op::sub || op == Op::mul || op == Op::neg || op == Op::bit_and ||
           op == Op::bit_or || op == Op::bit_xor || op == Op::bit_not || op == Op::shift_left ||
           op == Op::shift_right || op == Op::select || op == Op::convert || op == Op::bitcast;
}

}  // namespace

// True if a lane's value takes no more loads and operations than the budget, which it takes them from. Memory
// that the kernel writes isn't read again: it may have changed.
bool Lowering::is_cheap_in_lane(NodeId value, int& budget) {
    if (shapes_.of(value).is_uniform()) return true;
    if (--budget < 0) return false;
    const Node& n = program_.node(value);
    if (!is_small_integer(types_[n.type])) return false;
    if (!shapes_.of(value).is_varying()) return shapes_.of(value).offsets == offsets_.counting();
    // Its operands may be values of another region, or of lanes that have continued.
    if (plan_.is_kept(value) || kept_in_slots_[value.index]) return false;
    if (n.op == Op::load) return can_load_in_lane(value, budget);
    if (n.op == Op::extract) {
        const NodeId whole = program_.operand(value, 0);
        return program_.node(whole).op == Op::load && types_[program_.type(whole)].kind == TypeKind::vector &&
               can_load_in_lane(whole, budget);
    }
    return is_quick(n.op) && std::ranges::all_of(program_.operands(value), [&](NodeId operand) {
               return is_cheap_in_lane(operand, budget);
           });
}

bool Lowering::can_load_in_lane(NodeId load, int& budget) {
    if (plan_.is_kept(load) || kept_in_slots_[load.index] || !is_proven(load)) return false;
    const Place place = resolve(program_, program_.operand(load, 0));
    return is_constant_memory(program_.variable(place.variable)) && is_place_in_lane(place, budget);
}

bool Lowering::is_place_in_lane(const Place& place, int& budget) {
    return std::ranges::all_of(place.steps, [&](const PlaceStep& step) {
        return step.stride <= most_stride && is_cheap_in_lane(step.index, budget);
    });
}

// `lane`: its number, an i64.
llvm::Value* Lowering::in_lane(NodeId value, llvm::Value* lane) {
    if (!shapes_.of(value).is_varying()) {
        const Lane all = word_of(value, 0);
        return all.is_uniform() ? all.value : b_.CreateAdd(all.value, b_.CreateTrunc(lane, b_.getInt32Ty()));
    }
    const Node& n = program_.node(value);
    if (n.op == Op::load) return load_in_lane(value, 0, lane);
    if (n.op == Op::extract) return load_in_lane(program_.operand(value, 0), n.payload, lane);
    std::vector<llvm::Value*> operands;
    for (const NodeId operand : program_.operands(value)) operands.push_back(in_lane(operand, lane));
    const Scalar from = types_[program_.type(program_.operand(value, 0))].scalar;
    return emit_operation(b_, options_, n.op, from, types_[n.type].scalar, operands);
}

llvm::Value* Lowering::load_in_lane(NodeId load, std::uint32_t word, llvm::Value* lane) {
    const Place place = resolve(program_, program_.operand(load, 0));
    const TypeWord at = words_of(place.type)[word];
    llvm::Value* from = offset_pointer(pointer_in_lane(place, lane), at.offset);
    return value_form(
        tagged(b_.CreateAlignedLoad(host_type(at.scalar), from, llvm::Align(at.bytes())), place.variable),
        at.scalar);
}

// True if each lane's index is better computed with scalars than taken out of the vector.
bool Lowering::is_computed_in_lanes(NodeId atomic) {
    int budget = most_operations;
    return is_place_in_lane(resolve(program_, program_.operand(atomic, 0)), budget);
}

// The address of a lane's element, for an index that is within bounds, so below 2^31.
llvm::Value* Lowering::pointer_in_lane(const Place& place, llvm::Value* lane) {
    llvm::Value* pointer = start_of(place);
    for (const PlaceStep& step : place.steps) {
        const auto move = [&](llvm::Value* index) {
            pointer = offset_pointer(pointer, b_.CreateMul(index, b_.getInt64(step.stride)));
        };
        if (shapes_.of(step.index).is_varying()) {
            move(b_.CreateZExt(in_lane(step.index, lane), b_.getInt64Ty()));
            continue;
        }
        const Lane all = word_of(step.index, 0);
        move(b_.CreateSExt(all.value, b_.getInt64Ty()));
        if (!all.is_uniform()) move(lane);
    }
    return pointer;
}

}  // namespace muster::cpu
