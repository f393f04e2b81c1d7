// Atomic operations: lane by lane, or one update if all lanes access the same word and the old value isn't
// used. In workgroup memory they are plain accesses, because one thread runs all invocations of a workgroup.
#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/lowering.hpp>

namespace muster::cpu {
namespace {

constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;

llvm::AtomicRMWInst::BinOp operation(Op op, bool is_signed) {
    using Rmw = llvm::AtomicRMWInst;
    if (op == Op::atomic_add) return Rmw::Add;
    if (op == Op::atomic_sub) return Rmw::Sub;
    if (op == Op::atomic_and) return Rmw::And;
    if (op == Op::atomic_or) return Rmw::Or;
    if (op == Op::atomic_xor) return Rmw::Xor;
    if (op == Op::atomic_max) return is_signed ? Rmw::Max : Rmw::UMax;
    if (op == Op::atomic_min) return is_signed ? Rmw::Min : Rmw::UMin;
    return Rmw::Xchg;
}

// True if the operands of many lanes can be combined into one update of the word.
bool is_combined(Op op) {
    return op == Op::atomic_add || op == Op::atomic_sub || op == Op::atomic_and || op == Op::atomic_or ||
           op == Op::atomic_xor || op == Op::atomic_max || op == Op::atomic_min;
}

// The neutral operand, for lanes that are masked off: its low 32 or 64 bits.
std::uint64_t neutral(Op op, Scalar scalar) {
    const std::uint64_t greatest = is_wide(scalar) ? INT64_MAX : INT32_MAX;
    if (op == Op::atomic_and) return UINT64_MAX;
    if (op == Op::atomic_max) return is_signed(scalar) ? ~greatest : 0;
    if (op == Op::atomic_min) return is_signed(scalar) ? greatest : UINT64_MAX;
    return 0;
}

llvm::Value* all_combined(Builder& b, Op op, bool is_signed, llvm::Value* lanes) {
    if (op == Op::atomic_and) return b.CreateAndReduce(lanes);
    if (op == Op::atomic_or) return b.CreateOrReduce(lanes);
    if (op == Op::atomic_xor) return b.CreateXorReduce(lanes);
    if (op == Op::atomic_max) return b.CreateIntMaxReduce(lanes, is_signed);
    if (op == Op::atomic_min) return b.CreateIntMinReduce(lanes, is_signed);
    return b.CreateAddReduce(lanes);
}

llvm::Value* modified(Builder& b, llvm::AtomicRMWInst::BinOp operation, llvm::Value* old, llvm::Value* x) {
    using Rmw = llvm::AtomicRMWInst;
    if (operation == Rmw::Add) return b.CreateAdd(old, x);
    if (operation == Rmw::Sub) return b.CreateSub(old, x);
    if (operation == Rmw::And) return b.CreateAnd(old, x);
    if (operation == Rmw::Or) return b.CreateOr(old, x);
    if (operation == Rmw::Xor) return b.CreateXor(old, x);
    if (operation == Rmw::Max) return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, old, x);
    if (operation == Rmw::UMax) return b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, old, x);
    if (operation == Rmw::Min) return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, old, x);
    if (operation == Rmw::UMin) return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, old, x);
    return x;
}

}  // namespace

// Updates one word and returns its old value; null for a store.
llvm::Value* Lowering::update(NodeId node, llvm::Value* pointer, llvm::Value* operand,
                              llvm::Value* expected) {
    const Op op = program_.node(node).op;
    const NodeId place = program_.operand(node, 0);
    const VariableId variable = program_.root_variable(place);
    const bool plain = is_plain_atomic(program_.variable(variable));
    const Scalar scalar = types_[program_.type(place)].scalar;
    const llvm::Align align(info(scalar).bytes);
    const auto read = [&] {
        auto* load = tagged(b_.CreateAlignedLoad(atomic_type(node), pointer, align), variable);
        if (!plain) load->setAtomic(relaxed);
        return load;
    };
    const auto write = [&](llvm::Value* value) {
        auto* store = tagged(b_.CreateAlignedStore(value, pointer, align), variable);
        if (!plain) store->setAtomic(relaxed);
    };
    if (op == Op::atomic_load) return read();
    if (op == Op::atomic_store) {
        write(operand);
        return nullptr;
    }
    if (op == Op::atomic_compare_exchange) {
        if (plain) {
            llvm::Value* old = read();
            write(b_.CreateSelect(b_.CreateICmpEQ(old, expected), operand, old));
            return old;
        }
        auto* exchange = b_.CreateAtomicCmpXchg(pointer, expected, operand, align, relaxed, relaxed);
        return b_.CreateExtractValue(tagged(exchange, variable), 0);
    }
    const auto rmw = operation(op, is_signed(scalar));
    if (!plain) return tagged(b_.CreateAtomicRMW(rmw, pointer, operand, align, relaxed), variable);
    llvm::Value* old = read();
    write(modified(b_, rmw, old, operand));
    return old;
}

// One update for all lanes: they access the same word, and the old value isn't used.
void Lowering::combined_atomic(NodeId node, const Address& to, const Lane& operand, llvm::Value* mask) {
    const Op op = program_.node(node).op;
    const Scalar scalar = types_[program_.type(program_.operand(node, 0))].scalar;
    llvm::BasicBlock *some = block("update"), *end = block("updated");
    b_.CreateCondBr(any(mask), some, end);
    b_.SetInsertPoint(some);
    llvm::Value* lanes = as_vector(operand);
    llvm::Type* element = lanes->getType()->getScalarType();
    if (mask) {
        const std::uint64_t all = element->isIntegerTy(64) ? UINT64_MAX : UINT32_MAX;
        lanes =
            b_.CreateSelect(mask, lanes, llvm::ConstantInt::get(lanes->getType(), neutral(op, scalar) & all));
    }
    update(node, to.pointer, all_combined(b_, op, is_signed(scalar), lanes), nullptr);
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
}

// The lanes of a vector of 32 bits, each zero-extended to 64. Two at a time leave the vector's register:
// instructions that do so are slower than the shift that takes them apart.
std::vector<llvm::Value*> Lowering::wide_lanes(llvm::Value* vector) {
    std::vector<llvm::Value*> lanes;
    llvm::Value* pairs = b_.CreateBitCast(vector, llvm::FixedVectorType::get(b_.getInt64Ty(), width_ / 2));
    for (std::uint32_t pair = 0; pair < width_ / 2; ++pair) {
        llvm::Value* both = b_.CreateExtractElement(pairs, pair);
        lanes.push_back(b_.CreateAnd(both, b_.getInt64(UINT32_MAX)));
        lanes.push_back(b_.CreateLShr(both, 32));
    }
    return lanes;
}

// Updates lane by lane in memory that no other thread accesses, and returns the old values if they are used.
// Indices are within bounds, so below 2^31.
llvm::Value* Lowering::plain_atomic(NodeId node, const Address& to, const Lane& operand) {
    // Processors foresee for few instructions only which loads read what was just stored.
    constexpr std::uint32_t most_unrolled = 16;
    const bool in_loop = width_ > most_unrolled || options_.machine.extracts_slowly;
    llvm::Value* result = llvm::Constant::getNullValue(vector_of(atomic_type(node)));
    if (to.units && !is_used(node) && (in_loop || is_computed_in_lanes(node))) {
        scattered_atomic(node, to, operand);
        return result;
    }
    llvm::Value* given = as_vector(operand);
    std::vector<llvm::Value*> units;
    if (to.units) units = wide_lanes(to.units);
    for (std::uint32_t lane = 0; lane < width_; ++lane) {
        llvm::Value* pointer = to.pointer;
        if (to.units) pointer = b_.CreateGEP(b_.getInt32Ty(), pointer, units[lane]);
        if (!to.lane_bytes.empty())
            pointer = offset_pointer(pointer, static_cast<std::uint64_t>(to.lane_bytes[lane]));
        llvm::Value* old = update(node, pointer, b_.CreateExtractElement(given, lane), nullptr);
        if (is_used(node)) result = b_.CreateInsertElement(result, old, lane);
    }
    return result;
}

// The same in a loop, for indices that only the lanes know and old values that aren't used.
void Lowering::scattered_atomic(NodeId node, const Address& to, const Lane& operand) {
    const bool computed = is_computed_in_lanes(node);
    const std::uint32_t lanes_per_turn = std::min(width_, computed ? 4u : 8u);
    llvm::Value* const indices = computed ? nullptr : spread(to.units, "indices");
    llvm::Value* const operands = operand.is_uniform() ? nullptr : spread(as_vector(operand), "operands");
    llvm::BasicBlock *start = b_.GetInsertBlock(), *turn = block("turn"), *end = block("updated");
    b_.CreateBr(turn);
    b_.SetInsertPoint(turn);
    llvm::PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2, "first");
    first->addIncoming(b_.getInt64(0), start);
    for (std::uint32_t i = 0; i < lanes_per_turn; ++i) {
        llvm::Value* lane = b_.CreateAdd(first, b_.getInt64(i));
        const auto of_lane = [&](llvm::Value* memory, llvm::Type* element) {
            return b_.CreateLoad(element, b_.CreateGEP(element, memory, lane));
        };
        llvm::Value* pointer = nullptr;
        if (computed) {
            pointer = pointer_in_lane(resolve(program_, program_.operand(node, 0)), lane);
        } else {
            llvm::Value* index = b_.CreateZExt(of_lane(indices, b_.getInt32Ty()), b_.getInt64Ty());
            pointer = b_.CreateGEP(b_.getInt32Ty(), to.pointer, index);
        }
        update(node, pointer, operands ? of_lane(operands, atomic_type(node)) : operand.value, nullptr);
    }
    llvm::Value* next = b_.CreateAdd(first, b_.getInt64(lanes_per_turn));
    first->addIncoming(next, turn);
    set_unrolling(b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(width_)), turn, end), "disable");
    b_.SetInsertPoint(end);
}

// The vector in memory of its own, where an index finds a lane.
llvm::Value* Lowering::spread(llvm::Value* vector, const char* name) {
    llvm::Value* memory = slot(vector->getType(), name);
    b_.CreateStore(vector, memory);
    return memory;
}

llvm::Type* Lowering::atomic_type(NodeId node) {
    const Scalar scalar = types_[program_.type(program_.operand(node, 0))].scalar;
    return is_wide(scalar) ? b_.getInt64Ty() : b_.getInt32Ty();
}

// An operand as the type of the memory: one of 64 bits is two words elsewhere.
Lane Lowering::atomic_operand(NodeId operand) {
    const Lane low = word_of(operand, 0);
    const Scalar scalar = types_[program_.type(operand)].scalar;
    if (!is_wide(scalar)) return low;
    const Lane high = word_of(operand, 1);
    if (low.is_uniform() && high.is_uniform()) return {joined(b_, scalar, low.value, high.value)};
    return {.value = joined(b_, scalar, as_vector(low), as_vector(high)), .varying = true};
}

void Lowering::set_old(NodeId node, llvm::Value* old) {
    const bool varying = old->getType()->isVectorTy();
    if (!is_wide(types_[program_.type(node)].scalar)) {
        values_[node.index] = {{.value = old, .varying = varying}};
        return;
    }
    const auto [low, high] = split(b_, old);
    values_[node.index] = {{.value = low, .varying = varying}, {.value = high, .varying = varying}};
}

void Lowering::atomic(NodeId node) {
    if (lane_) return update_in_lane(node);
    const Node& n = program_.node(node);
    const auto operands = program_.operands(node);
    const bool expects = n.op == Op::atomic_compare_exchange;
    const Place place = resolve(program_, operands[0]);
    Address to = address(node, place);
    const Lane operand = operands.size() > 1 ? atomic_operand(operands[expects ? 2 : 1]) : Lane{word(0)};
    const Lane expected = expects ? atomic_operand(operands[1]) : Lane{word(0)};
    const bool yields = n.type != no_type;
    llvm::Type* type = atomic_type(node);
    if (width_ == 1) {
        llvm::BasicBlock *start = b_.GetInsertBlock(), *end = block("updated"), *inside = block("update");
        b_.CreateCondBr(to.valid ? to.valid : b_.getTrue(), inside, end);
        b_.SetInsertPoint(inside);
        llvm::Value* old = update(node, to.pointer, operand.value, expected.value);
        inside = b_.GetInsertBlock();
        b_.CreateBr(end);
        b_.SetInsertPoint(end);
        if (!yields) return;
        llvm::PHINode* either = b_.CreatePHI(type, 2);
        either->addIncoming(old, inside);
        either->addIncoming(llvm::ConstantInt::get(type, 0), start);
        set_old(node, either);
        return;
    }

    llvm::Value* mask = both(mask_, to.valid);
    if (mask && !mask->getType()->isVectorTy()) mask = as_vector(mask);
    if (to.is_uniform() && !is_used(node) && is_combined(n.op))
        return combined_atomic(node, to, operand, mask);
    const bool turns_are_cheap = !expects && is_plain_atomic(program_.variable(place.variable));
    if (!mask && turns_are_cheap) {
        llvm::Value* old = plain_atomic(node, to, operand);
        if (yields) set_old(node, old);
        return;
    }

    // A loop over the active lanes: each iteration takes the lowest set bit of the mask and clears it.
    if (!mask) mask = all_lanes();
    llvm::Value* result =
        yields && is_used(node) ? spread(llvm::Constant::getNullValue(vector_of(type)), "old") : nullptr;
    llvm::Value* bits = bits_of(mask);
    llvm::BasicBlock *turn = block("turn"), *end = block("updated");
    llvm::Value* none = llvm::Constant::getNullValue(bits->getType());
    if (turns_are_cheap) {  // mostly all lanes are active: no need to search for the next
        llvm::BasicBlock *all = block("all"), *some = block("some");
        b_.CreateCondBr(b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType())), all, some);
        b_.SetInsertPoint(all);
        llvm::Value* old_of_all = plain_atomic(node, to, operand);
        if (result) b_.CreateStore(old_of_all, result);
        b_.CreateBr(end);
        b_.SetInsertPoint(some);
    }
    llvm::Value* pointers = to.is_uniform() ? nullptr : spread(lane_pointers(to, 0), "pointers");
    llvm::Value* given = operand.is_uniform() ? nullptr : spread(as_vector(operand), "operands");
    llvm::Value* awaited = expected.is_uniform() ? nullptr : spread(as_vector(expected), "expected");
    llvm::BasicBlock* start = b_.GetInsertBlock();
    b_.CreateCondBr(b_.CreateICmpNE(bits, none), turn, end);
    b_.SetInsertPoint(turn);
    llvm::PHINode* left = b_.CreatePHI(bits->getType(), 2, "left");
    left->addIncoming(bits, start);
    llvm::Value* lane = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {bits->getType()}, {left, b_.getTrue()});
    lane = b_.CreateZExtOrTrunc(lane, b_.getInt64Ty());
    const auto at = [&](llvm::Value* memory, llvm::Type* element) {
        return b_.CreateGEP(element, memory, lane);
    };
    const auto of_lane = [&](llvm::Value* memory, const Lane& uniform) -> llvm::Value* {
        return memory ? b_.CreateLoad(type, at(memory, type)) : uniform.value;
    };
    llvm::Value* pointer = pointers ? b_.CreateLoad(b_.getPtrTy(), at(pointers, b_.getPtrTy())) : to.pointer;
    llvm::Value* old = update(node, pointer, of_lane(given, operand), of_lane(awaited, expected));
    if (result) b_.CreateStore(old, at(result, type));
    llvm::Value* rest = b_.CreateAnd(left, b_.CreateSub(left, llvm::ConstantInt::get(bits->getType(), 1)));
    left->addIncoming(rest, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpNE(rest, none), turn, end);
    b_.SetInsertPoint(end);
    if (!yields) return;
    llvm::Type* vector = vector_of(type);
    set_old(node, result ? b_.CreateLoad(vector, result)
                         : static_cast<llvm::Value*>(llvm::Constant::getNullValue(vector)));
}

}  // namespace muster::cpu
