#include "lowering/seeded_faults.hpp"

#include <array>
#include <optional>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace muster::test {
namespace {

using namespace llvm::PatternMatch;
using llvm::dyn_cast;
using llvm::isa;
using Op = llvm::Instruction;

bool is_mask(const llvm::Value* value) { return value->getType()->isIntOrIntVectorTy(1); }

Change replace_by(llvm::Instruction& i, llvm::Value* value) {
    return [&i, value] { i.replaceAllUsesWith(value); };
}

Change set_operand(llvm::Instruction& i, unsigned which, llvm::Value* value) {
    return [&i, which, value] { i.setOperand(which, value); };
}

llvm::BinaryOperator* binary(llvm::Instruction& i, llvm::Instruction::BinaryOps op) {
    return i.getOpcode() == op ? dyn_cast<llvm::BinaryOperator>(&i) : nullptr;
}

/// Replaces one operation of a pair by the other.
Change exchange_operations(llvm::Instruction& i, llvm::Instruction::BinaryOps a,
                           llvm::Instruction::BinaryOps b) {
    if (i.getOpcode() != a && i.getOpcode() != b) return {};
    const auto other = i.getOpcode() == a ? b : a;
    return [&i, other] {
        i.replaceAllUsesWith(llvm::BinaryOperator::Create(other, i.getOperand(0), i.getOperand(1), "", &i));
    };
}

Change exchange_casts(llvm::Instruction& i, llvm::Instruction::CastOps a, llvm::Instruction::CastOps b) {
    if (i.getOpcode() != a && i.getOpcode() != b) return {};
    const auto other = i.getOpcode() == a ? b : a;
    return [&i, other] {
        i.replaceAllUsesWith(llvm::CastInst::Create(other, i.getOperand(0), i.getType(), "", &i));
    };
}

Change exchange_intrinsics(llvm::Instruction& i, llvm::Intrinsic::ID a, llvm::Intrinsic::ID b) {
    auto* call = dyn_cast<llvm::IntrinsicInst>(&i);
    if (!call || (call->getIntrinsicID() != a && call->getIntrinsicID() != b)) return {};
    const auto other = call->getIntrinsicID() == a ? b : a;
    return [call, other] {
        call->setCalledFunction(llvm::Intrinsic::getDeclaration(call->getModule(), other, {call->getType()}));
    };
}

Change every_lane(llvm::Instruction& i, llvm::Intrinsic::ID a, llvm::Intrinsic::ID b, unsigned mask) {
    auto* call = dyn_cast<llvm::IntrinsicInst>(&i);
    if (!call || (call->getIntrinsicID() != a && call->getIntrinsicID() != b)) return {};
    llvm::Value* lanes = call->getArgOperand(mask);
    if (isa<llvm::Constant>(lanes)) return {};
    return set_operand(i, mask, llvm::Constant::getAllOnesValue(lanes->getType()));
}

Change store_to_all(llvm::Instruction& i) {
    return every_lane(i, llvm::Intrinsic::masked_store, llvm::Intrinsic::masked_scatter, 3);
}
Change load_for_all(llvm::Instruction& i) {
    return every_lane(i, llvm::Intrinsic::masked_load, llvm::Intrinsic::masked_gather, 2);
}

Change other_shift(llvm::Instruction& i) { return exchange_operations(i, Op::LShr, Op::AShr); }
Change other_division(llvm::Instruction& i) {
    if (i.getType()->isIntegerTy(64)) return {};  // sizes and workgroup numbers are never negative
    Change found = exchange_operations(i, Op::SDiv, Op::UDiv);
    return found ? found : exchange_operations(i, Op::SRem, Op::URem);
}

Change other_order(llvm::Instruction& i) {
    auto* compare = dyn_cast<llvm::ICmpInst>(&i);
    if (!compare || compare->isEquality()) return {};
    return [compare] {
        compare->setPredicate(compare->isSigned() ? compare->getUnsignedPredicate()
                                                  : compare->getSignedPredicate());
    };
}

Change other_strictness(llvm::Instruction& i) {
    auto* compare = dyn_cast<llvm::ICmpInst>(&i);
    if (!compare || compare->isEquality()) return {};
    return [compare] { compare->setPredicate(compare->getFlippedStrictnessPredicate()); };
}

Change other_answer_for_nan(llvm::Instruction& i) {
    auto* compare = dyn_cast<llvm::FCmpInst>(&i);
    if (!compare || compare->getPredicate() == llvm::CmpInst::FCMP_ORD ||
        compare->getPredicate() == llvm::CmpInst::FCMP_UNO)
        return {};
    constexpr unsigned unordered = llvm::CmpInst::FCMP_UNO;
    return [compare] {
        compare->setPredicate(static_cast<llvm::CmpInst::Predicate>(compare->getPredicate() ^ unordered));
    };
}

Change swapped_arms(llvm::Instruction& i) {
    auto* select = dyn_cast<llvm::SelectInst>(&i);
    if (!select) return {};
    return [select] { select->swapValues(); };
}

Change first_arm_always(llvm::Instruction& i) {
    auto* select = dyn_cast<llvm::SelectInst>(&i);
    return select ? replace_by(i, select->getTrueValue()) : Change{};
}

Change half_an_and(llvm::Instruction& i) {
    auto* both = binary(i, Op::And);
    return both && is_mask(both) && !isa<llvm::Constant>(both->getOperand(1))
               ? replace_by(i, both->getOperand(0))
               : Change{};
}

Change half_an_or(llvm::Instruction& i) {
    auto* either = binary(i, Op::Or);
    return either && is_mask(either) && !isa<llvm::Constant>(either->getOperand(1))
               ? replace_by(i, either->getOperand(0))
               : Change{};
}

Change mask_not_negated(llvm::Instruction& i) {
    llvm::Value* mask = nullptr;
    return is_mask(&i) && match(&i, m_Not(m_Value(mask))) ? replace_by(i, mask) : Change{};
}

bool is_any(const llvm::Value* value) {
    const auto* compare = dyn_cast<llvm::ICmpInst>(value);
    if (!compare || compare->getPredicate() != llvm::CmpInst::ICMP_NE) return false;
    const auto* bits = dyn_cast<llvm::BitCastInst>(compare->getOperand(0));
    return bits && is_mask(bits->getOperand(0)) && match(compare->getOperand(1), m_Zero());
}

Change any_turned_round(llvm::Instruction& i) {
    if (!is_any(&i)) return {};
    return [&i] { llvm::cast<llvm::ICmpInst>(i).setPredicate(llvm::CmpInst::ICMP_EQ); };
}

/// The end of a loop over subgroups: branches on next == count to `after`, else to `each`.
struct SubgroupLoop {
    llvm::BranchInst* latch;
    llvm::ICmpInst* ends;
    llvm::PHINode* number;
    llvm::Value* next;
    llvm::BasicBlock* after() const { return latch->getSuccessor(0); }
    llvm::BasicBlock* each() const { return number->getParent(); }
};

std::optional<SubgroupLoop> subgroup_loop(llvm::Instruction& i) {
    auto* latch = dyn_cast<llvm::BranchInst>(&i);
    if (!latch || !latch->isConditional()) return std::nullopt;
    auto* ends = dyn_cast<llvm::ICmpInst>(latch->getCondition());
    if (!ends || ends->getPredicate() != llvm::CmpInst::ICMP_EQ) return std::nullopt;
    llvm::Value *number = nullptr, *next = ends->getOperand(0);
    if (!match(next, m_Add(m_Value(number), m_One()))) return std::nullopt;
    auto* phi = dyn_cast<llvm::PHINode>(number);
    if (!phi || !phi->getName().starts_with("subgroup") || phi->getParent() != latch->getSuccessor(1))
        return std::nullopt;
    return SubgroupLoop{latch, ends, phi, next};
}

Change branch_turned_round(llvm::Instruction& i) {
    auto* branch = dyn_cast<llvm::BranchInst>(&i);
    if (!branch || !branch->isConditional() || is_any(branch->getCondition()) || subgroup_loop(i)) return {};
    return [branch] { branch->swapSuccessors(); };
}

Change last_subgroup_left_out(llvm::Instruction& i) {
    const auto loop = subgroup_loop(i);
    if (!loop) return {};
    const auto* count = dyn_cast<llvm::ConstantInt>(loop->ends->getOperand(1));
    if (!count) return {};
    return set_operand(*loop->ends, 1, llvm::ConstantInt::get(count->getType(), count->getZExtValue() - 1));
}

/// Fuses two consecutive loops over subgroups into one whose turns do the first's work and then the second's.
Change barrier_missed(llvm::Instruction& i) {
    const auto first = subgroup_loop(i);
    if (!first) return {};
    llvm::BasicBlock* between = first->after();
    auto* to_second = dyn_cast<llvm::BranchInst>(between->getTerminator());
    if (!between->getSinglePredecessor() || !to_second || to_second->isConditional()) return {};
    auto* number = dyn_cast<llvm::PHINode>(&to_second->getSuccessor(0)->front());
    if (!number || number->getNumIncomingValues() != 2 || number->getBasicBlockIndex(between) < 0) return {};
    const int from_between = number->getBasicBlockIndex(between);
    llvm::BasicBlock* end = number->getIncomingBlock(1 - static_cast<unsigned>(from_between));
    const auto second = subgroup_loop(*end->getTerminator());
    if (!second || second->number != number) return {};
    return [first = *first, second = *second, between] {
        second.number->setIncomingValueForBlock(between, first.number);
        second.number->removeIncomingValue(second.latch->getParent());
        second.latch->setSuccessor(1, first.each());
        first.number->removeIncomingValue(first.latch->getParent());
        first.number->addIncoming(second.next, second.latch->getParent());
        llvm::BranchInst::Create(between, first.latch);
        first.latch->eraseFromParent();
    };
}

bool is_in_scratch(const llvm::Value* pointer) {
    const auto* argument = dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer, 0));
    return argument && argument->getArgNo() == 3;
}

Change store_forgotten(llvm::Instruction& i) {
    const llvm::Value* pointer = nullptr;
    if (auto* store = dyn_cast<llvm::StoreInst>(&i)) pointer = store->getPointerOperand();
    if (auto* call = dyn_cast<llvm::IntrinsicInst>(&i);
        call && (call->getIntrinsicID() == llvm::Intrinsic::masked_store ||
                 call->getIntrinsicID() == llvm::Intrinsic::masked_scatter))
        pointer = call->getArgOperand(1);
    if (!pointer || !is_in_scratch(pointer)) return {};
    return [&i] { i.eraseFromParent(); };
}

Change zeroing_forgotten(llvm::Instruction& i) {
    if (!isa<llvm::MemSetInst>(i)) return {};
    return [&i] { i.eraseFromParent(); };
}

Change other_atomic(llvm::Instruction& i) {
    auto* atomic = dyn_cast<llvm::AtomicRMWInst>(&i);
    if (!atomic) return {};
    using Rmw = llvm::AtomicRMWInst;
    constexpr std::array<std::pair<Rmw::BinOp, Rmw::BinOp>, 5> pairs{{{Rmw::Add, Rmw::Sub},
                                                                      {Rmw::Min, Rmw::Max},
                                                                      {Rmw::UMin, Rmw::UMax},
                                                                      {Rmw::And, Rmw::Or},
                                                                      {Rmw::Xor, Rmw::Xchg}}};
    for (const auto& [a, b] : pairs) {
        if (atomic->getOperation() == a) return [atomic, b] { atomic->setOperation(b); };
        if (atomic->getOperation() == b) return [atomic, a] { atomic->setOperation(a); };
    }
    return {};
}

Change lanes_shifted(llvm::Instruction& i) {
    for (unsigned k = 0; k < i.getNumOperands(); ++k) {
        auto* lanes = dyn_cast<llvm::ConstantDataVector>(i.getOperand(k));
        if (!lanes || lanes->isSplat() || !lanes->getElementType()->isIntegerTy()) continue;
        std::vector<llvm::Constant*> shifted;
        for (unsigned lane = 0; lane < lanes->getNumElements(); ++lane)
            shifted.push_back(lanes->getElementAsConstant((lane + 1) % lanes->getNumElements()));
        return set_operand(i, k, llvm::ConstantVector::get(shifted));
    }
    return {};
}

/// Swaps axes of origin, extent and grid, at bytes 8, 20 and 32 of the arguments.
Change axes_swapped(llvm::Instruction& i) {
    auto* load = dyn_cast<llvm::LoadInst>(&i);
    auto* at = load ? dyn_cast<llvm::GetElementPtrInst>(load->getPointerOperand()) : nullptr;
    if (!at || at->getPointerOperand() != i.getFunction()->getArg(0)) return {};
    const auto* offset = dyn_cast<llvm::ConstantInt>(at->getOperand(1));
    if (!offset || offset->getZExtValue() < 8) return {};
    const std::uint64_t axis = (offset->getZExtValue() - 8) % 12 / 4;
    if (axis == 2) return {};
    const std::uint64_t other = axis == 0 ? offset->getZExtValue() + 4 : offset->getZExtValue() - 4;
    return set_operand(*at, 1, llvm::ConstantInt::get(offset->getType(), other));
}

Change other_extension(llvm::Instruction& i) { return exchange_casts(i, Op::ZExt, Op::SExt); }
Change other_conversion(llvm::Instruction& i) {
    Change found = exchange_casts(i, Op::UIToFP, Op::SIToFP);
    if (!found) found = exchange_casts(i, Op::FPToUI, Op::FPToSI);
    return found;
}

/// Adds a product unrounded: as a double, which represents it exactly.
Change contracted(llvm::Instruction& i) {
    if (i.getOpcode() != Op::FAdd && i.getOpcode() != Op::FSub) return {};
    if (!match(i.getOperand(0), m_FMul(m_Value(), m_Value()))) return {};
    return [&i] {
        llvm::IRBuilder<> b(&i);
        auto* product = llvm::cast<llvm::Instruction>(i.getOperand(0));
        llvm::Type* wide = i.getType()->getWithNewType(b.getDoubleTy());
        const auto widened = [&](llvm::Value* value) { return b.CreateFPExt(value, wide); };
        llvm::Value* whole = b.CreateFMul(widened(product->getOperand(0)), widened(product->getOperand(1)));
        llvm::Value* other = widened(i.getOperand(1));
        llvm::Value* sum =
            i.getOpcode() == Op::FAdd ? b.CreateFAdd(whole, other) : b.CreateFSub(whole, other);
        i.replaceAllUsesWith(b.CreateFPTrunc(sum, i.getType()));
    };
}

Change other_end(llvm::Instruction& i) {
    Change found = exchange_intrinsics(i, llvm::Intrinsic::umin, llvm::Intrinsic::umax);
    if (!found) found = exchange_intrinsics(i, llvm::Intrinsic::smin, llvm::Intrinsic::smax);
    if (!found) found = exchange_intrinsics(i, llvm::Intrinsic::ctlz, llvm::Intrinsic::cttz);
    return found;
}

Change other_lane(llvm::Instruction& i) {
    auto* extract = dyn_cast<llvm::ExtractElementInst>(&i);
    if (!extract) return {};
    const auto* lane = dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
    const std::uint64_t lanes = extract->getVectorOperandType()->getElementCount().getFixedValue();
    const std::uint64_t other = lane ? (lane->getZExtValue() + 1) % lanes : 0;
    return set_operand(i, 1, llvm::ConstantInt::get(extract->getIndexOperand()->getType(), other));
}

Change wrong_length(llvm::Instruction& i, std::int64_t by) {
    if (!i.getName().starts_with("length")) return {};
    return [&i, by] {
        llvm::IRBuilder<> b(i.getNextNode());
        llvm::Value* wrong = b.CreateAdd(&i, llvm::ConstantInt::getSigned(i.getType(), by));
        i.replaceUsesWithIf(wrong, [&](const llvm::Use& use) { return use.getUser() != wrong; });
    };
}
Change length_too_long(llvm::Instruction& i) { return wrong_length(i, 1); }
Change length_too_short(llvm::Instruction& i) { return wrong_length(i, -1); }

Change shift_too_far(llvm::Instruction& i) {
    return match(&i, m_And(m_Value(), m_SpecificInt(31))) ? replace_by(i, i.getOperand(0)) : Change{};
}

/// Matches divisions of integers, or of doubles that were integers.
Change unguarded_division(llvm::Instruction& i) {
    llvm::Instruction* user = &i;
    if (i.getOpcode() == Op::FDiv) user = dyn_cast<llvm::CastInst>(i.getOperand(1));
    if (!user || (user == &i && !i.isIntDivRem())) return {};
    const unsigned which = user->getNumOperands() - 1;
    auto* divisor = dyn_cast<llvm::SelectInst>(user->getOperand(which));
    if (!divisor) return {};
    return set_operand(
        *user, which,
        isa<llvm::Constant>(divisor->getTrueValue()) ? divisor->getFalseValue() : divisor->getTrueValue());
}

Change word_further(llvm::Instruction& i) {
    auto* at = dyn_cast<llvm::GetElementPtrInst>(&i);
    const auto* offset = at ? dyn_cast<llvm::ConstantInt>(at->getOperand(1)) : nullptr;
    if (!offset || at->getPointerOperand() == i.getFunction()->getArg(0)) return {};
    return set_operand(i, 1, llvm::ConstantInt::get(offset->getType(), offset->getZExtValue() + 4));
}

Change stride_too_long(llvm::Instruction& i) {
    auto* product = binary(i, Op::Mul);
    const auto* stride = product ? dyn_cast<llvm::ConstantInt>(product->getOperand(1)) : nullptr;
    if (!stride || !stride->getType()->isIntegerTy(64)) return {};
    return set_operand(i, 1, llvm::ConstantInt::get(stride->getType(), stride->getZExtValue() + 4));
}

// Lowerings of f16, of subgroups, of integers of 8 and 16 bits, of buffer views and of matrices.

bool is_splat(const llvm::Value* value, std::uint32_t bits) {
    return match(value, m_SpecificInt(llvm::APInt(32, bits)));
}

/// Rounding to f16 adds just under half of the last place, and 1 if the result would be odd.
Change half_up_at_ties(llvm::Instruction& i) {
    const auto* bias = i.getOpcode() == Op::Add ? dyn_cast<llvm::Instruction>(i.getOperand(0)) : nullptr;
    if (!bias || bias->getOpcode() != Op::Add || !is_splat(bias->getOperand(1), 0xfffu - 0x38000000u))
        return {};
    return replace_by(i, i.getOperand(0));
}

Change half_rounded_towards_zero(llvm::Instruction& i) {
    if (i.getOpcode() != Op::FPTrunc || !i.getType()->getScalarType()->isHalfTy()) return {};
    return [&i] {
        llvm::IRBuilder<> b(&i);
        llvm::Value* given = i.getOperand(0);
        llvm::Type* words = given->getType()->getWithNewType(b.getInt32Ty());
        llvm::Value* bits =
            b.CreateAnd(b.CreateBitCast(given, words), llvm::ConstantInt::get(words, ~0x1fffu));
        i.setOperand(0, b.CreateBitCast(bits, given->getType()));
    };
}

Change tiny_half_lost(llvm::Instruction& i) {
    if (i.getOpcode() != Op::Add && i.getOpcode() != Op::Sub) return {};
    const bool is_tiny = is_splat(i.getOperand(1), 0x3f000000) || is_splat(i.getOperand(1), 0u - 0x3f000000);
    return is_tiny ? replace_by(i, llvm::Constant::getNullValue(i.getType())) : Change{};
}

Change half_infinity_widened_as_number(llvm::Instruction& i) {
    if (i.getOpcode() != Op::Or || !is_splat(i.getOperand(1), 0x7f800000)) return {};
    return replace_by(i, i.getOperand(0));
}

/// A ballot's bits are those of mask & votes, as an integer of 128 bits.
Change inactive_invocation_votes(llvm::Instruction& i) {
    auto* bits = i.getOpcode() == Op::ZExt && i.getType()->isIntegerTy(128)
                     ? dyn_cast<llvm::BitCastInst>(i.getOperand(0))
                     : nullptr;
    auto* both = bits ? dyn_cast<llvm::BinaryOperator>(bits->getOperand(0)) : nullptr;
    if (!both || both->getOpcode() != Op::And) return {};
    return set_operand(*bits, 0, both->getOperand(1));
}

Change shuffle_from_first(llvm::Instruction& i) {
    auto* at = dyn_cast<llvm::GetElementPtrInst>(&i);
    if (!at || !at->getPointerOperand()->getName().starts_with("shuffled")) return {};
    return set_operand(i, 1, llvm::ConstantInt::get(at->getOperand(1)->getType(), 0));
}

Change permutation_forgotten(llvm::Instruction& i) {
    auto* shuffle = dyn_cast<llvm::ShuffleVectorInst>(&i);
    if (!shuffle || shuffle->getType() != shuffle->getOperand(0)->getType() || shuffle->isIdentity() ||
        shuffle->isZeroEltSplat())
        return {};
    return replace_by(i, shuffle->getOperand(0));
}

bool is_narrow(const llvm::Type* type) {
    return type->getScalarType()->isIntegerTy(8) || type->getScalarType()->isIntegerTy(16);
}

Change narrow_takes_other_sign(llvm::Instruction& i) {
    auto* extension = dyn_cast<llvm::CastInst>(&i);
    return extension && is_narrow(extension->getSrcTy()) ? exchange_casts(i, Op::ZExt, Op::SExt) : Change{};
}

Change not_cut_to_narrow(llvm::Instruction& i) {
    if (i.getOpcode() != Op::ZExt && i.getOpcode() != Op::SExt) return {};
    const auto* cut = dyn_cast<llvm::TruncInst>(i.getOperand(0));
    if (!cut || !is_narrow(cut->getType()) || cut->getOperand(0)->getType() != i.getType()) return {};
    return replace_by(i, cut->getOperand(0));
}

/// True for ~7 and ~15: what an offset is rounded down with to an alignment of 8 or 16 bytes.
bool rounds_down(const llvm::Value* mask) { return is_splat(mask, ~7u) || is_splat(mask, ~15u); }

Change view_not_aligned(llvm::Instruction& i) {
    return i.getOpcode() == Op::And && rounds_down(i.getOperand(1)) ? replace_by(i, i.getOperand(0))
                                                                    : Change{};
}

/// A view of n bytes fits at an offset of at most size - n.
Change view_ends_behind_buffer(llvm::Instruction& i) {
    auto* compare = dyn_cast<llvm::ICmpInst>(&i);
    auto* last = compare ? dyn_cast<llvm::BinaryOperator>(compare->getOperand(1)) : nullptr;
    if (!last || last->getOpcode() != Op::Sub || compare->getPredicate() != llvm::CmpInst::ICMP_ULE ||
        !isa<llvm::Constant>(last->getOperand(1)))
        return {};
    return set_operand(i, 1, last->getOperand(0));
}

Change products_added_from_the_end(llvm::Instruction& i) {
    const auto is_product = [](const llvm::Value* value) {
        return match(value, m_FMul(m_Value(), m_Value()));
    };
    auto* first = i.getOpcode() == Op::FAdd ? dyn_cast<llvm::Instruction>(i.getOperand(0)) : nullptr;
    if (!first || first->getOpcode() != Op::FAdd || !is_product(first->getOperand(1)) ||
        !is_product(i.getOperand(1)))
        return {};
    return [&i, first] {
        llvm::IRBuilder<> b(&i);
        i.replaceAllUsesWith(
            b.CreateFAdd(first->getOperand(0), b.CreateFAdd(first->getOperand(1), i.getOperand(1))));
    };
}

Change exchanged_whatever_is_there(llvm::Instruction& i) {
    auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&i);
    if (!exchange) return {};
    return [exchange] {
        llvm::IRBuilder<> b(exchange);
        llvm::Value* old = b.CreateAtomicRMW(llvm::AtomicRMWInst::Xchg, exchange->getPointerOperand(),
                                             exchange->getNewValOperand(), exchange->getAlign(),
                                             exchange->getSuccessOrdering());
        llvm::Value* result = b.CreateInsertValue(llvm::PoisonValue::get(exchange->getType()), old, 0);
        exchange->replaceAllUsesWith(b.CreateInsertValue(result, b.getTrue(), 1));
        exchange->eraseFromParent();
    };
}

constexpr std::array kinds{
    FaultKind{"a masked store or scatter writes every lane", store_to_all},
    FaultKind{"a masked load or gather reads every lane", load_for_all},
    FaultKind{"half of an \"and\" of masks is forgotten", half_an_and},
    FaultKind{"half of an \"or\" of masks is forgotten", half_an_or},
    FaultKind{"a mask isn't negated", mask_not_negated},
    FaultKind{"a test for any lane is turned round", any_turned_round},
    FaultKind{"a branch is turned round", branch_turned_round},
    FaultKind{"the last subgroup is left out", last_subgroup_left_out},
    FaultKind{"a barrier is missed", barrier_missed},
    FaultKind{"a store to scratch is forgotten", store_forgotten},
    FaultKind{"memory isn't zeroed", zeroing_forgotten},
    FaultKind{"a right shift takes the other sign", other_shift},
    FaultKind{"a division takes the other sign", other_division},
    FaultKind{"a division's guard is dropped", unguarded_division},
    FaultKind{"a shift's amount isn't taken modulo 32", shift_too_far},
    FaultKind{"a comparison takes the other sign", other_order},
    FaultKind{"a comparison's bound goes to the other side", other_strictness},
    FaultKind{"a comparison gives the other answer for NaN", other_answer_for_nan},
    FaultKind{"a select's arms are swapped", swapped_arms},
    FaultKind{"a select always takes its first arm", first_arm_always},
    FaultKind{"an atomic operation is another one", other_atomic},
    FaultKind{"a minimum is a maximum, the first bit is the last", other_end},
    FaultKind{"constants of the lanes are shifted by one", lanes_shifted},
    FaultKind{"a value is taken from another lane", other_lane},
    FaultKind{"x and y of the grid are swapped", axes_swapped},
    FaultKind{"an extension takes the other sign", other_extension},
    FaultKind{"a conversion to or from floats takes the other sign", other_conversion},
    FaultKind{"a product is added unrounded", contracted},
    FaultKind{"an array is one element too long", length_too_long},
    FaultKind{"an array is one element too short", length_too_short},
    FaultKind{"a place is one word further", word_further},
    FaultKind{"a stride is one word too long", stride_too_long},
    FaultKind{"an f16 between two others is rounded up", half_up_at_ties},
    FaultKind{"the machine's rounding to f16 is towards zero", half_rounded_towards_zero},
    FaultKind{"a subnormal f16 becomes zero", tiny_half_lost},
    FaultKind{"an infinity of f16 is widened as a number", half_infinity_widened_as_number},
    FaultKind{"an inactive invocation votes in a ballot", inactive_invocation_votes},
    FaultKind{"a shuffle reads from the first invocation", shuffle_from_first},
    FaultKind{"a known permutation is forgotten", permutation_forgotten},
    FaultKind{"an integer of 8 or 16 bits takes the other sign", narrow_takes_other_sign},
    FaultKind{"an integer isn't cut to its 8 or 16 bits", not_cut_to_narrow},
    FaultKind{"an offset of a view isn't rounded down", view_not_aligned},
    FaultKind{"a view may end behind its buffer", view_ends_behind_buffer},
    FaultKind{"products of a matrix are added from the end", products_added_from_the_end},
    FaultKind{"a compare-exchange compares nothing", exchanged_whatever_is_there},
};

}  // namespace

std::span<const FaultKind> fault_kinds() { return kinds; }

std::vector<Change> places(const FaultKind& kind, llvm::Module& module) {
    std::vector<Change> found;
    for (llvm::Function& function : module)
        for (llvm::BasicBlock& block : function)
            for (llvm::Instruction& instruction : block)
                if (Change change = kind.at(instruction)) found.push_back(std::move(change));
    return found;
}

}  // namespace muster::test
