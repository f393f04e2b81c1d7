#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/lane_scalars.hpp>

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
bool LaneScalars::is_cheap(NodeId value, int& budget) const {
    if (shapes_.of(value).is_uniform()) return true;
    if (--budget < 0) return false;
    const Node& n = program_.node(value);
    if (!is_small_integer(types_[n.type])) return false;
    if (!shapes_.of(value).is_varying()) return shapes_.of(value).offsets == offsets_.counting();
    // Its operands may be values of another region, or of lanes that have continued.
    if (plan_.is_kept(value) || values_.is_in_slots(value)) return false;
    if (n.op == Op::load) return can_load(value, budget);
    if (n.op == Op::extract) {
        const NodeId whole = program_.operand(value, 0);
        return program_.node(whole).op == Op::load && types_[program_.type(whole)].kind == TypeKind::vector &&
               can_load(whole, budget);
    }
    return is_quick(n.op) && std::ranges::all_of(program_.operands(value),
                                                 [&](NodeId operand) { return is_cheap(operand, budget); });
}

bool LaneScalars::can_load(NodeId load, int& budget) const {
    if (plan_.is_kept(load) || values_.is_in_slots(load) || !assumptions_.is_proven(load)) return false;
    const Place place = resolve(program_, program_.operand(load, 0));
    return is_constant_memory(program_.variable(place.variable)) && is_cheap(place, budget);
}

bool LaneScalars::is_cheap(const Place& place, int& budget) const {
    return std::ranges::all_of(place.steps, [&](const PlaceStep& step) {
        return step.stride <= most_stride && is_cheap(step.index, budget);
    });
}

// `lane`: its number, an i64.
Value* LaneScalars::of_lane(NodeId value, Value* lane) {
    if (!shapes_.of(value).is_varying()) {
        const Lane all = values_.word(value, 0);
        return all.is_uniform() ? all.value : b_.CreateAdd(all.value, b_.CreateTrunc(lane, b_.getInt32Ty()));
    }
    const Node& n = program_.node(value);
    if (n.op == Op::load) return load(value, 0, lane);
    if (n.op == Op::extract) return load(program_.operand(value, 0), n.payload, lane);
    std::vector<Value*> operands;
    for (const NodeId operand : program_.operands(value)) operands.push_back(of_lane(operand, lane));
    const Scalar from = types_[program_.type(program_.operand(value, 0))].scalar;
    return emit_operation(b_, options_, n.op, from, types_[n.type].scalar, operands);
}

Value* LaneScalars::load(NodeId load, std::uint32_t word, Value* lane) {
    const Place place = resolve(program_, program_.operand(load, 0));
    const TypeWord at = words_of(place.type)[word];
    Value* from = b_.offset_pointer(pointer(place, lane), at.offset);
    return b_.value_form(
        shared_.tagged(b_.CreateAlignedLoad(b_.host_type(at.scalar), from, llvm::Align(at.bytes())),
                       place.variable),
        at.scalar);
}

bool LaneScalars::are_cheap(const Place& place) const {
    int budget = most_operations;
    return is_cheap(place, budget);
}

Value* LaneScalars::pointer(const Place& place, Value* lane) {
    Value* at = shared_.at(place.variable, place.offset);
    for (const PlaceStep& step : place.steps) {
        const auto move = [&](Value* index) {
            at = b_.offset_pointer(at, b_.CreateMul(index, b_.getInt64(step.stride)));
        };
        if (shapes_.of(step.index).is_varying()) {
            move(b_.CreateZExt(of_lane(step.index, lane), b_.getInt64Ty()));
            continue;
        }
        const Lane all = values_.word(step.index, 0);
        move(b_.CreateSExt(all.value, b_.getInt64Ty()));
        if (!all.is_uniform()) move(lane);
    }
    return at;
}

}  // namespace muster::cpu
