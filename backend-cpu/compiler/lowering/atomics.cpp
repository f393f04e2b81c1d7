#include <algorithm>
#include <array>

#include <muster/backend-cpu/compiler/lowering/atomics.hpp>

namespace muster::cpu {
namespace {

using Rmw = llvm::AtomicRMWInst;
constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;

using Modify = Value* (*)(Builder& builder, Value* old, Value* operand);
template <llvm::Instruction::BinaryOps op>
Value* by(Builder& builder, Value* old, Value* operand) {
    return builder.CreateBinOp(op, old, operand);
}
template <llvm::Intrinsic::ID id>
Value* call(Builder& builder, Value* old, Value* operand) {
    return builder.CreateBinaryIntrinsic(id, old, operand);
}

// An operation that changes a word, on integers of one signedness or of either.
struct Update {
    Op op;
    bool of_signed, of_unsigned;
    Rmw::BinOp atomic;
    Modify plain;                 // where no other thread accesses the word
    llvm::Intrinsic::ID combine;  // the operands of many lanes to one; 0: they can't be
    bool neutral_ones =
        false;  // bits of the operand that changes nothing; the sign bit of a signed extreme is the other one
};

constexpr auto updates = [] {
    using I = llvm::Instruction;
    namespace id = llvm::Intrinsic;
    return std::array{
        Update{Op::atomic_add, true, true, Rmw::Add, by<I::Add>, id::vector_reduce_add},
        Update{Op::atomic_sub, true, true, Rmw::Sub, by<I::Sub>, id::vector_reduce_add},
        Update{Op::atomic_and, true, true, Rmw::And, by<I::And>, id::vector_reduce_and, true},
        Update{Op::atomic_or, true, true, Rmw::Or, by<I::Or>, id::vector_reduce_or},
        Update{Op::atomic_xor, true, true, Rmw::Xor, by<I::Xor>, id::vector_reduce_xor},
        Update{Op::atomic_max, true, false, Rmw::Max, call<id::smax>, id::vector_reduce_smax},
        Update{Op::atomic_max, false, true, Rmw::UMax, call<id::umax>, id::vector_reduce_umax},
        Update{Op::atomic_min, true, false, Rmw::Min, call<id::smin>, id::vector_reduce_smin, true},
        Update{Op::atomic_min, false, true, Rmw::UMin, call<id::umin>, id::vector_reduce_umin, true},
        Update{Op::atomic_exchange, true, true, Rmw::Xchg,
               [](Builder&, Value*, Value* operand) { return operand; }, id::not_intrinsic},
    };
}();

// Null for operations that only read, only write, or compare.
const Update* update_of(Op op, Scalar scalar) {
    const auto* const found = std::ranges::find_if(updates, [&](const Update& row) {
        return row.op == op && (is_signed(scalar) ? row.of_signed : row.of_unsigned);
    });
    return found == updates.end() ? nullptr : found;
}

llvm::APInt neutral(const Update& update, unsigned bits) {
    llvm::APInt number = update.neutral_ones ? llvm::APInt::getAllOnes(bits) : llvm::APInt::getZero(bits);
    if (update.of_signed != update.of_unsigned && update.of_signed) number.flipBit(bits - 1);
    return number;
}

}  // namespace

void Atomics::run(NodeId node) {
    const Place place = place_of(node);
    const auto operands = program_.operands(node);
    if (lane_) {
        Value* pointer = scalars_.pointer(place, lane_);
        update(node, pointer, values_.word(operands[1], 0).value, nullptr);
        return;
    }
    const bool expects = program_.node(node).op == Op::atomic_compare_exchange;
    Address to = access_.address(node, place);
    const Lane operand = operands.size() > 1 ? operand_of(operands[expects ? 2 : 1]) : Lane{b_.word(0)};
    const Lane expected = expects ? operand_of(operands[1]) : Lane{b_.word(0)};
    Value* old = width_ == 1 ? alone(node, to, operand, expected) : of_lanes(node, to, operand, expected);
    if (old && program_.node(node).type != no_type) set_old(node, old);
}

// Updates one word and returns its old value; null for a store.
Value* Atomics::update(NodeId node, Value* pointer, Value* operand, Value* expected) {
    const Op op = program_.node(node).op;
    const VariableId variable = program_.root_variable(program_.operand(node, 0));
    const bool plain = is_plain(node);
    const Scalar scalar = scalar_of(node);
    const llvm::Align align(info(scalar).bytes);
    const auto read = [&] {
        auto* load = shared_.tagged(b_.CreateAlignedLoad(type_of(node), pointer, align), variable);
        if (!plain) load->setAtomic(relaxed);
        return load;
    };
    const auto write = [&](Value* value) {
        auto* store = shared_.tagged(b_.CreateAlignedStore(value, pointer, align), variable);
        if (!plain) store->setAtomic(relaxed);
    };
    if (op == Op::atomic_load) return read();
    if (op == Op::atomic_store) {
        write(operand);
        return nullptr;
    }
    const Update* change = update_of(op, scalar);
    if (!plain && !change) {
        auto* exchange = b_.CreateAtomicCmpXchg(pointer, expected, operand, align, relaxed, relaxed);
        return b_.CreateExtractValue(shared_.tagged(exchange, variable), 0);
    }
    if (!plain)
        return shared_.tagged(b_.CreateAtomicRMW(change->atomic, pointer, operand, align, relaxed), variable);
    Value* old = read();
    write(change ? change->plain(b_, old, operand)
                 : b_.CreateSelect(b_.CreateICmpEQ(old, expected), operand, old));
    return old;
}

// The only lane's update, if its index is valid.
Value* Atomics::alone(NodeId node, const Address& to, const Lane& operand, const Lane& expected) {
    BasicBlock *start = b_.GetInsertBlock(), *end = b_.block("updated"), *inside = b_.block("update");
    b_.CreateCondBr(to.valid ? to.valid : b_.getTrue(), inside, end);
    b_.SetInsertPoint(inside);
    Value* old = update(node, to.pointer, operand.value, expected.value);
    inside = b_.GetInsertBlock();
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
    if (program_.node(node).type == no_type) return nullptr;
    return b_.either(old, inside, llvm::ConstantInt::get(type_of(node), 0), start);
}

// Null if the old value isn't there.
Value* Atomics::of_lanes(NodeId node, const Address& to, const Lane& operand, const Lane& expected) {
    Value* mask = b_.active_where(to.valid);
    const Update* change = update_of(program_.node(node).op, scalar_of(node));
    const bool has_combination = change && change->combine != llvm::Intrinsic::not_intrinsic;
    if (to.is_uniform() && !is_used(node) && has_combination) {
        combined(node, to, operand, mask);
        return nullptr;
    }
    const bool turns_are_cheap = program_.node(node).op != Op::atomic_compare_exchange && is_plain(node);
    if (!mask && turns_are_cheap) return plain(node, to, operand);
    return one_by_one(node, to, operand, expected, mask ? mask : b_.all_lanes(), turns_are_cheap);
}

// One update for all lanes: they access the same word, and the old value isn't used.
void Atomics::combined(NodeId node, const Address& to, const Lane& operand, Value* mask) {
    BasicBlock *some = b_.block("update"), *end = b_.block("updated");
    b_.CreateCondBr(b_.any(mask), some, end);
    b_.SetInsertPoint(some);
    const Update& change = *update_of(program_.node(node).op, scalar_of(node));
    Value* lanes = b_.as_vector(operand);
    if (mask) {
        const llvm::APInt number = neutral(change, lanes->getType()->getScalarSizeInBits());
        lanes = b_.CreateSelect(mask, lanes, llvm::ConstantInt::get(lanes->getType(), number));
    }
    update(node, to.pointer, b_.CreateUnaryIntrinsic(change.combine, lanes), nullptr);
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
}

// The lanes of a vector of 32 bits, each zero-extended to 64. Two at a time leave the vector's register:
// instructions that do so are slower than the shift that takes them apart.
std::vector<Value*> Atomics::wide_lanes(Value* vector) {
    std::vector<Value*> lanes;
    Value* pairs = b_.CreateBitCast(vector, llvm::FixedVectorType::get(b_.getInt64Ty(), width_ / 2));
    for (std::uint32_t pair = 0; pair < width_ / 2; ++pair) {
        Value* both = b_.CreateExtractElement(pairs, pair);
        lanes.push_back(b_.CreateAnd(both, b_.getInt64(UINT32_MAX)));
        lanes.push_back(b_.CreateLShr(both, 32));
    }
    return lanes;
}

// Updates lane by lane in memory that no other thread accesses, and returns the old values if they are used.
// Indices are within bounds, so below 2^31.
Value* Atomics::plain(NodeId node, const Address& to, const Lane& operand) {
    // Processors foresee for few instructions only which loads read what was just stored.
    constexpr std::uint32_t most_unrolled = 16;
    const bool in_loop = width_ > most_unrolled || options_.machine.extracts_slowly;
    Value* result = llvm::Constant::getNullValue(b_.vector_of(type_of(node)));
    if (to.units && !is_used(node) && (in_loop || scalars_.are_cheap(place_of(node)))) {
        scattered(node, to, operand);
        return result;
    }
    Value* given = b_.as_vector(operand);
    std::vector<Value*> units;
    if (to.units) units = wide_lanes(to.units);
    for (std::uint32_t lane = 0; lane < width_; ++lane) {
        Value* pointer = to.pointer;
        if (to.units) pointer = b_.CreateGEP(b_.getInt32Ty(), pointer, units[lane]);
        if (!to.lane_bytes.empty())
            pointer = b_.offset_pointer(pointer, static_cast<std::uint64_t>(to.lane_bytes[lane]));
        Value* old = update(node, pointer, b_.CreateExtractElement(given, lane), nullptr);
        if (is_used(node)) result = b_.CreateInsertElement(result, old, lane);
    }
    return result;
}

// Updates lane by lane in a loop, for indices that only the lanes know and old values that aren't used.
void Atomics::scattered(NodeId node, const Address& to, const Lane& operand) {
    const Place place = place_of(node);
    const bool computed = scalars_.are_cheap(place);
    const std::uint32_t lanes_per_turn = std::min(width_, computed ? 4u : 8u);
    Value* const indices = computed ? nullptr : spread(to.units, "indices");
    Value* const operands = operand.is_uniform() ? nullptr : spread(b_.as_vector(operand), "operands");
    BasicBlock *start = b_.GetInsertBlock(), *turn = b_.block("turn"), *end = b_.block("updated");
    b_.CreateBr(turn);
    b_.SetInsertPoint(turn);
    PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2, "first");
    first->addIncoming(b_.getInt64(0), start);
    for (std::uint32_t i = 0; i < lanes_per_turn; ++i) {
        Value* lane = b_.CreateAdd(first, b_.getInt64(i));
        const auto of_lane = [&](Value* memory, llvm::Type* element) {
            return b_.CreateLoad(element, b_.CreateGEP(element, memory, lane));
        };
        Value* pointer = nullptr;
        if (computed) {
            pointer = scalars_.pointer(place, lane);
        } else {
            Value* index = b_.CreateZExt(of_lane(indices, b_.getInt32Ty()), b_.getInt64Ty());
            pointer = b_.CreateGEP(b_.getInt32Ty(), to.pointer, index);
        }
        update(node, pointer, operands ? of_lane(operands, type_of(node)) : operand.value, nullptr);
    }
    Value* next = b_.CreateAdd(first, b_.getInt64(lanes_per_turn));
    first->addIncoming(next, turn);
    b_.set_unrolling(b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(width_)), turn, end), "disable");
    b_.SetInsertPoint(end);
}

// A loop over the active lanes: each iteration takes the lowest set bit of the mask and clears it.
Value* Atomics::one_by_one(NodeId node, const Address& to, const Lane& operand, const Lane& expected,
                           Value* mask, bool turns_are_cheap) {
    llvm::Type* type = type_of(node);
    llvm::Constant* zeros = llvm::Constant::getNullValue(b_.vector_of(type));
    const bool yields = program_.node(node).type != no_type;
    Value* result = yields && is_used(node) ? spread(zeros, "old") : nullptr;
    Value* bits = b_.bits_of(mask);
    BasicBlock *turn = b_.block("turn"), *end = b_.block("updated");
    Value* none = llvm::Constant::getNullValue(bits->getType());
    if (turns_are_cheap) {  // mostly all lanes are active: no need to search for the next
        BasicBlock *all = b_.block("all"), *some = b_.block("some");
        b_.CreateCondBr(b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType())), all, some);
        b_.SetInsertPoint(all);
        Value* old_of_all = plain(node, to, operand);
        if (result) b_.CreateStore(old_of_all, result);
        b_.CreateBr(end);
        b_.SetInsertPoint(some);
    }
    Value* pointers = to.is_uniform() ? nullptr : spread(access_.lane_pointers(to, 0), "pointers");
    Value* given = operand.is_uniform() ? nullptr : spread(b_.as_vector(operand), "operands");
    Value* awaited = expected.is_uniform() ? nullptr : spread(b_.as_vector(expected), "expected");
    BasicBlock* start = b_.GetInsertBlock();
    b_.CreateCondBr(b_.CreateICmpNE(bits, none), turn, end);
    b_.SetInsertPoint(turn);
    PHINode* left = b_.CreatePHI(bits->getType(), 2, "left");
    left->addIncoming(bits, start);
    Value* lane = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {bits->getType()}, {left, b_.getTrue()});
    lane = b_.CreateZExtOrTrunc(lane, b_.getInt64Ty());
    const auto at = [&](Value* memory, llvm::Type* element) { return b_.CreateGEP(element, memory, lane); };
    const auto of_lane = [&](Value* memory, const Lane& uniform) -> Value* {
        return memory ? b_.CreateLoad(type, at(memory, type)) : uniform.value;
    };
    Value* pointer = pointers ? b_.CreateLoad(b_.getPtrTy(), at(pointers, b_.getPtrTy())) : to.pointer;
    Value* old = update(node, pointer, of_lane(given, operand), of_lane(awaited, expected));
    if (result) b_.CreateStore(old, at(result, type));
    Value* rest = b_.CreateAnd(left, b_.CreateSub(left, llvm::ConstantInt::get(bits->getType(), 1)));
    left->addIncoming(rest, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpNE(rest, none), turn, end);
    b_.SetInsertPoint(end);
    return result ? b_.CreateLoad(zeros->getType(), result) : static_cast<Value*>(zeros);
}

// The vector in memory of its own, where an index finds a lane.
Value* Atomics::spread(Value* vector, const char* name) {
    Value* memory = b_.slot(vector->getType(), name);
    b_.CreateStore(vector, memory);
    return memory;
}

Scalar Atomics::scalar_of(NodeId node) const {
    return types_[program_.type(program_.operand(node, 0))].scalar;
}

llvm::Type* Atomics::type_of(NodeId node) {
    return is_wide(scalar_of(node)) ? b_.getInt64Ty() : b_.getInt32Ty();
}

// An operand as the type of the memory: one of 64 bits is two words elsewhere.
Lane Atomics::operand_of(NodeId operand) {
    const Lane low = values_.word(operand, 0);
    const Scalar scalar = types_[program_.type(operand)].scalar;
    if (!is_wide(scalar)) return low;
    const Lane high = values_.word(operand, 1);
    if (low.is_uniform() && high.is_uniform()) return {joined(b_, scalar, low.value, high.value)};
    return {.value = joined(b_, scalar, b_.as_vector(low), b_.as_vector(high)), .varying = true};
}

void Atomics::set_old(NodeId node, Value* old) {
    const bool varying = old->getType()->isVectorTy();
    if (!is_wide(types_[program_.type(node)].scalar))
        return values_.set(node, {{.value = old, .varying = varying}});
    const auto [low, high] = split(b_, old);
    values_.set(node, {{.value = low, .varying = varying}, {.value = high, .varying = varying}});
}

bool Atomics::may_run_in_lane(NodeId node) const {
    const Place place = place_of(node);
    const auto operands = program_.operands(node);
    if (is_used(node) || operands.size() != 2 || is_wide(scalar_of(node))) return false;
    if (!is_plain(node) || !assumptions_.is_proven(node)) return false;
    const auto varies = [&](const PlaceStep& step) { return shapes_.of(step.index).is_varying(); };
    return std::ranges::any_of(place.steps, varies) && scalars_.are_cheap(place) &&
           shapes_.of(operands[1]).is_uniform();
}

}  // namespace muster::cpu
