#include <array>
#include <cassert>

#include <llvm/Analysis/SimplifyQuery.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <muster/backend-cpu/compiler/lowering/lower_math.hpp>
#include <muster/backend-cpu/compiler/lowering/lower_operation.hpp>
#include <muster/backend-cpu/compiler/lowering/lower_packed.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/semantics/scalar_operations.hpp>

namespace muster::cpu {
namespace {

using llvm::Value;
using scalar_operations::slot;

// One operation to emit: its operands, and the building blocks for the table below.
struct Operation {
    Builder& builder;
    const LowerOptions& options;
    Scalar from, to;
    std::array<Value*, 3> operands{};

    Value* a() const { return operands[0]; }
    Value* b() const { return operands[1]; }
    Value* c() const { return operands[2]; }
    bool is_double() const { return from == Scalar::f64; }
    bool is_float() const { return from == Scalar::f32 || is_double(); }
    bool is_signed() const { return from == Scalar::i32 || from == Scalar::i64; }
    bool is_fast() const { return options.options.precision == Precision::fast; }
    bool is_vector() const { return a()->getType()->isVectorTy(); }

    llvm::Type* type(llvm::Type* element) const { return a()->getType()->getWithNewType(element); }
    llvm::Type* type(Scalar scalar) const {
        if (scalar == Scalar::f32) return type(builder.getFloatTy());
        if (scalar == Scalar::f64) return type(builder.getDoubleTy());
        if (scalar == Scalar::boolean) return type(builder.getInt1Ty());
        return type(is_wide(scalar) ? builder.getInt64Ty() : builder.getInt32Ty());
    }
    // The integers of as many bits as the operands have, and numbers as wide.
    llvm::Type* whole() const { return type(is_wide(from) ? Scalar::u64 : Scalar::u32); }
    Value* word(std::uint64_t x) const { return llvm::ConstantInt::get(whole(), x); }
    Value* number(double x) const {
        return llvm::ConstantFP::get(type(is_double() ? Scalar::f64 : Scalar::f32), x);
    }
    Value* unary(llvm::Intrinsic::ID id, Value* x) const { return builder.CreateUnaryIntrinsic(id, x); }
    Value* binary(llvm::Intrinsic::ID id) const { return builder.CreateBinaryIntrinsic(id, a(), b()); }
    Value* bits(Value* x) const { return builder.CreateBitCast(x, whole()); }
    Value* from_bits(Value* x) const { return builder.CreateBitCast(x, type(Scalar::f32)); }
    Value* is_nan(Value* x) const { return builder.CreateFCmpUNO(x, x); }
    Value* with_sign_of(Value* magnitude, Value* sign) const {
        return builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
    }
};

// True if x is a constant whose elements all pass the test.
template <class Constant, class Test>
bool every_lane(Value* x, Test test) {
    const auto passes = [&](llvm::Constant* element) {
        const auto* constant = llvm::dyn_cast_or_null<Constant>(element);
        return constant != nullptr && test(constant->getValue());
    };
    auto* constant = llvm::dyn_cast<llvm::Constant>(x);
    if (constant == nullptr) return false;
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    if (vector == nullptr) return passes(constant);
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
        if (!passes(constant->getAggregateElement(i))) return false;
    return true;
}

// Integer division.

// The divisor, with 1 in place of values that would trap: the quotient is then the dividend and the
// remainder 0, as the semantics require. A constant that can't trap is kept, so that LLVM can divide by
// multiplication and shift.
Value* harmless_divisor(const Operation& o) {
    const auto harmless = [&](const llvm::APInt& x) {
        return !x.isZero() && !(o.is_signed() && x.isAllOnes());
    };
    if (!is_wide(o.from) && every_lane<llvm::ConstantInt>(o.b(), harmless)) return o.b();
    Value* traps = o.builder.CreateICmpEQ(o.b(), o.word(0));
    if (o.is_signed()) {
        const std::uint64_t least = is_wide(o.from) ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31;
        Value* minus_one = llvm::Constant::getAllOnesValue(o.whole());
        Value* overflows = o.builder.CreateAnd(o.builder.CreateICmpEQ(o.a(), o.word(least)),
                                               o.builder.CreateICmpEQ(o.b(), minus_one));
        traps = o.builder.CreateOr(traps, overflows);
    }
    return o.builder.CreateSelect(traps, o.word(1), o.b());
}

bool is_divided_in_double(const Operation& o, Value* divisor) {
    return o.is_vector() && !is_wide(o.from) && !llvm::isa<llvm::Constant>(divisor);
}

// Divides in double, because vectors have no integer division and LLVM would scalarise it. The truncated
// quotient is exact: if it isn't an integer, it is at least 1/divisor > 2^-32 below the next one, while
// rounding moves it by less than dividend/divisor * 2^-53.
Value* quotient_by_double(const Operation& o, Value* divisor) {
    llvm::Type* wide = o.type(o.builder.getDoubleTy());
    const auto widen = [&](Value* x) {
        return o.is_signed() ? o.builder.CreateSIToFP(x, wide) : o.builder.CreateUIToFP(x, wide);
    };
    const llvm::IRBuilderBase::FastMathFlagGuard guard(o.builder);
    o.builder.clearFastMathFlags();
    Value* quotient = o.builder.CreateFDiv(widen(o.a()), widen(divisor));
    return o.is_signed() ? o.builder.CreateFPToSI(quotient, o.whole())
                         : o.builder.CreateFPToUI(quotient, o.whole());
}

Value* divide_integers(const Operation& o) {
    Value* divisor = harmless_divisor(o);
    if (is_divided_in_double(o, divisor)) return quotient_by_double(o, divisor);
    return o.is_signed() ? o.builder.CreateSDiv(o.a(), divisor) : o.builder.CreateUDiv(o.a(), divisor);
}

Value* remainder_of_integers(const Operation& o) {
    Value* divisor = harmless_divisor(o);
    if (is_divided_in_double(o, divisor))
        return o.builder.CreateSub(o.a(), o.builder.CreateMul(quotient_by_double(o, divisor), divisor));
    return o.is_signed() ? o.builder.CreateSRem(o.a(), divisor) : o.builder.CreateURem(o.a(), divisor);
}

// Rounding to integers. Without an instruction for it, as in semantics.hpp; these sums must not be
// reassociated, not even in fast mode.

// The least number from which on every one is an integer.
Value* integers_from(const Operation& o) {
    return o.number(o.is_double() ? semantics::integers_from<double>
                                  : double{semantics::integers_from<float>});
}

Value* is_below_integers(const Operation& o, Value* x) {
    return o.builder.CreateFCmpOLT(o.unary(llvm::Intrinsic::fabs, x), integers_from(o));
}

Value* trunc(const Operation& o, Value* x) {
    if (o.options.machine.has_rounding) return o.unary(llvm::Intrinsic::trunc, x);
    Value* small = is_below_integers(o, x);
    Value* within = o.builder.CreateSelect(small, x, o.number(0));
    Value* whole = o.builder.CreateSIToFP(o.builder.CreateFPToSI(within, o.whole()), x->getType());
    return o.builder.CreateSelect(small, o.with_sign_of(whole, x), x);
}

Value* floor(const Operation& o) {
    if (o.options.machine.has_rounding) return o.unary(llvm::Intrinsic::floor, o.a());
    Value* t = trunc(o, o.a());
    return o.builder.CreateSelect(o.builder.CreateFCmpOGT(t, o.a()), o.builder.CreateFSub(t, o.number(1)), t);
}

Value* ceil(const Operation& o) {
    if (o.options.machine.has_rounding) return o.unary(llvm::Intrinsic::ceil, o.a());
    Value* t = trunc(o, o.a());
    Value* next = o.builder.CreateFAdd(t, o.number(1));
    return o.with_sign_of(o.builder.CreateSelect(o.builder.CreateFCmpOLT(t, o.a()), next, t), o.a());
}

Value* round(const Operation& o) {
    if (o.options.machine.has_rounding) return o.unary(llvm::Intrinsic::roundeven, o.a());
    const llvm::IRBuilderBase::FastMathFlagGuard guard(o.builder);
    o.builder.clearFastMathFlags();
    Value* shifter = integers_from(o);
    Value* shifted = o.builder.CreateFAdd(o.unary(llvm::Intrinsic::fabs, o.a()), shifter);
    Value* whole = o.with_sign_of(o.builder.CreateFSub(shifted, shifter), o.a());
    return o.builder.CreateSelect(is_below_integers(o, o.a()), whole, o.a());
}

// Other arithmetic.

Value* remainder_of_floats(const Operation& o) {
    Value* whole = trunc(o, o.builder.CreateFDiv(o.a(), o.b()));
    return o.builder.CreateFSub(o.a(), o.builder.CreateFMul(o.b(), whole));
}

Value* fma(const Operation& o, Value* a, Value* b, Value* c) {
    return o.builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

Value* fused(const Operation& o) {
    // Fast mode alone gets here: in exact programs the driver has expanded fma.
    if (!o.options.machine.has_fma && !o.is_double())
        return o.builder.CreateFAdd(o.builder.CreateFMul(o.a(), o.b()), o.c());
    return fma(o, o.a(), o.b(), o.c());
}

// x as a product that may be contracted, or null. The code generator contracts only products with one use;
// one with more uses is worth it too, since the sum costs the same and waits for one operation less.
const llvm::BinaryOperator* contractible(const Operation& o, Value* x) {
    if (!o.is_fast() || o.is_double() || !o.options.machine.has_fma) return nullptr;
    const auto* product = llvm::dyn_cast<llvm::BinaryOperator>(x);
    return product != nullptr && product->getOpcode() == llvm::Instruction::FMul ? product : nullptr;
}

Value* add_floats(const Operation& o) {
    if (const auto* product = contractible(o, o.a()))
        return fma(o, product->getOperand(0), product->getOperand(1), o.b());
    if (const auto* product = contractible(o, o.b()))
        return fma(o, product->getOperand(0), product->getOperand(1), o.a());
    return o.builder.CreateFAdd(o.a(), o.b());
}

Value* subtract_floats(const Operation& o) {
    if (const auto* product = contractible(o, o.a()))
        return fma(o, product->getOperand(0), product->getOperand(1), o.builder.CreateFNeg(o.b()));
    if (const auto* product = contractible(o, o.b()))
        return fma(o, o.builder.CreateFNeg(product->getOperand(0)), product->getOperand(1), o.a());
    return o.builder.CreateFSub(o.a(), o.b());
}

// x if it is strictly less (or greater) than y, otherwise y, also if they are equal or one is NaN: as x86's
// instruction.
Value* nearer(const Operation& o, bool least, Value* x, Value* y) {
    return o.builder.CreateSelect(least ? o.builder.CreateFCmpOLT(x, y) : o.builder.CreateFCmpOGT(x, y), x,
                                  y);
}

// The minimum or maximum: the number if one operand is NaN; -0 is below +0.
Value* extreme_of_floats(const Operation& o, bool least) {
    Value *a = o.a(), *b = o.b();
    if (llvm::isa<llvm::Constant>(a)) std::swap(a, b);
    // Constants for which the simple form is right: any number but zero, and the zero that wins.
    const auto decides = [&](const llvm::APFloat& x) {
        return !x.isNaN() && (!x.isZero() || x.isNegative() == least);
    };
    if (o.is_fast() || every_lane<llvm::ConstantFP>(b, decides)) return nearer(o, least, a, b);
    Value* number = o.builder.CreateSelect(o.is_nan(a), b, a);
    Value* result = o.bits(nearer(o, least, b, number));  // number, if they are equal
    Value* equal = o.builder.CreateFCmpOEQ(b, number);
    Value* other = o.builder.CreateSelect(equal, o.bits(b), o.word(least ? 0 : 0xffffffffu));
    return o.from_bits(least ? o.builder.CreateOr(result, other) : o.builder.CreateAnd(result, other));
}

Value* extreme_of_doubles(const Operation& o, bool least) {
    Builder& b = o.builder;
    Value *x = o.a(), *y = o.b();
    Value* before = least ? b.CreateFCmpOLT(x, y) : b.CreateFCmpOGT(x, y);
    Value* after = least ? b.CreateFCmpOLT(y, x) : b.CreateFCmpOGT(y, x);
    Value* merged = least ? b.CreateOr(o.bits(x), o.bits(y)) : b.CreateAnd(o.bits(x), o.bits(y));
    Value* equal = b.CreateBitCast(merged, x->getType());
    Value* neither = b.CreateSelect(b.CreateFCmpOEQ(x, y), equal, b.CreateSelect(o.is_nan(x), y, x));
    return b.CreateSelect(before, x, b.CreateSelect(after, y, neither));
}

Value* extreme(const Operation& o, bool least) {
    if (o.is_float()) return o.is_double() ? extreme_of_doubles(o, least) : extreme_of_floats(o, least);
    if (o.is_signed()) return o.binary(least ? llvm::Intrinsic::smin : llvm::Intrinsic::smax);
    return o.binary(least ? llvm::Intrinsic::umin : llvm::Intrinsic::umax);
}

Value* absolute(const Operation& o) {
    if (o.is_float()) return o.unary(llvm::Intrinsic::fabs, o.a());
    if (!o.is_signed()) return o.a();
    return o.builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, o.a(), o.builder.getFalse());
}

// Conversion.

// Clamps first, since LLVM's conversion gives poison out of range; NaN becomes `low`.
Value* clamped(const Operation& o, double low, double high) {
    return nearer(o, true, nearer(o, false, o.a(), o.number(low)), o.number(high));
}

Value* integer_of_float(const Operation& o) {
    const bool is_to_wide = is_wide(o.to);
    if (!muster::is_signed(o.to)) {
        const double most = is_to_wide ? (o.is_double() ? 0x1.fffffffffffffp63 : 0x1.fffffep63)
                                       : (o.is_double() ? 4294967295.0 : 4294967040.0);
        return o.builder.CreateFPToUI(clamped(o, 0, most), o.type(o.to));
    }
    const double most = is_to_wide ? (o.is_double() ? 0x1.fffffffffffffp62 : 0x1.fffffep62)
                                   : (o.is_double() ? 2147483647.0 : 2147483520.0);
    Value* integer = o.builder.CreateFPToSI(clamped(o, is_to_wide ? -0x1p63 : -0x1p31, most), o.type(o.to));
    return o.builder.CreateSelect(o.is_nan(o.a()), llvm::Constant::getNullValue(integer->getType()), integer);
}

// f16 is the low half of an i32. Machines without instructions for it compute as
// muster::f16 does (base/f16.hpp).

Value* widened(const Operation& o) {
    Builder& b = o.builder;
    if (o.options.machine.has_half) {
        Value* bits = b.CreateTrunc(o.a(), o.type(b.getInt16Ty()));
        Value* wide = b.CreateFPExt(b.CreateBitCast(bits, o.type(b.getHalfTy())), o.type(Scalar::f32));
        // The fence keeps LLVM from computing in half: of a comparison and a select it makes a call of fmaxf.
        return o.unary(llvm::Intrinsic::arithmetic_fence, wide);
    }
    Value* magnitude = b.CreateAnd(o.a(), o.word(0x7fff));
    Value* sign = b.CreateShl(b.CreateAnd(o.a(), o.word(0x8000)), o.word(16));
    Value* shifted = b.CreateShl(magnitude, o.word(13));
    Value* normal = b.CreateAdd(shifted, o.word(0x38000000));
    Value* special = b.CreateOr(shifted, o.word(0x7f800000));
    Value* tiny = b.CreateFMul(b.CreateSIToFP(magnitude, o.type(Scalar::f32)), o.number(0x1p-24f));
    Value* wide = b.CreateSelect(b.CreateICmpULT(magnitude, o.word(0x400)), o.bits(tiny), normal);
    wide = b.CreateSelect(b.CreateICmpUGE(magnitude, o.word(0x7c00)), special, wide);
    return o.from_bits(b.CreateOr(sign, wide));
}

Value* narrowed(const Operation& o) {
    Builder& b = o.builder;
    if (o.options.machine.has_half) {
        Value* half = b.CreateFPTrunc(o.a(), o.type(b.getHalfTy()));
        return b.CreateZExt(b.CreateBitCast(half, o.type(b.getInt16Ty())), o.type(Scalar::f16));
    }
    Value* bits = o.bits(o.a());
    Value* magnitude = b.CreateAnd(bits, o.word(0x7fffffff));
    Value* sign = b.CreateAnd(b.CreateLShr(bits, o.word(16)), o.word(0x8000));
    Value* odd = b.CreateAnd(b.CreateLShr(magnitude, o.word(13)), o.word(1));
    Value* raised = b.CreateAdd(b.CreateAdd(magnitude, o.word(0xfffu - 0x38000000u)), odd);
    Value* steps = o.bits(b.CreateFAdd(o.from_bits(magnitude), o.number(0.5f)));
    Value* tiny = b.CreateSub(steps, o.word(0x3f000000));
    Value* half = b.CreateSelect(b.CreateICmpULT(magnitude, o.word(0x38800000)), tiny,
                                 b.CreateLShr(raised, o.word(13)));
    half = b.CreateSelect(b.CreateICmpUGE(magnitude, o.word(0x477ff000)), o.word(0x7c00), half);
    half = b.CreateOr(sign, half);
    return b.CreateSelect(b.CreateICmpUGT(magnitude, o.word(0x7f800000)), o.word(0x7e00), half);
}

// A narrow integer is an i32 with its number.
Value* low_bits(const Operation& o) {
    Builder& b = o.builder;
    Value* low = b.CreateTrunc(o.a(), o.type(b.getIntNTy(8 * info(o.to).bytes)));
    return muster::widened(o.to) == Scalar::i32 ? b.CreateSExt(low, o.type(o.to))
                                                : b.CreateZExt(low, o.type(o.to));
}

Value* convert(const Operation& o) {
    if (o.from == o.to) return o.a();
    if (o.from == Scalar::f16) return widened(o);
    if (o.to == Scalar::f16) return narrowed(o);
    if (is_narrow(o.to)) return low_bits(o);
    if (is_narrow(o.from)) return o.a();
    Builder& b = o.builder;
    if (o.to == Scalar::boolean)
        return o.is_float() ? b.CreateFCmpUNE(o.a(), o.number(0)) : b.CreateICmpNE(o.a(), o.word(0));
    llvm::Type* to = o.type(o.to);
    if (o.is_float() && o.to == Scalar::f64) return b.CreateFPExt(o.a(), to);
    if (o.is_float() && o.to == Scalar::f32) return b.CreateFPTrunc(o.a(), to);
    if (o.is_float()) return integer_of_float(o);
    if (o.to == Scalar::f32 || o.to == Scalar::f64)
        return o.is_signed() ? b.CreateSIToFP(o.a(), to) : b.CreateUIToFP(o.a(), to);
    return o.is_signed() ? b.CreateSExtOrTrunc(o.a(), to) : b.CreateZExtOrTrunc(o.a(), to);
}

Value* bitcast(const Operation& o) {
    if (!o.is_float()) return o.builder.CreateBitCast(o.a(), o.type(o.to));
    if (o.to == o.from) return o.a();
    const llvm::DataLayout& layout = o.builder.GetInsertBlock()->getModule()->getDataLayout();
    const bool keeps_nan =
        !o.is_double() && (o.is_fast() || llvm::isKnownNeverNaN(o.a(), 0, llvm::SimplifyQuery(layout)));
    if (keeps_nan) return o.bits(o.a());
    Value* nan = o.word(o.is_double() ? semantics::canonical_nan_of_double : semantics::canonical_nan);
    return o.builder.CreateSelect(o.is_nan(o.a()), nan, o.bits(o.a()));
}

Value* shift_count(const Operation& o) {
    Value* count = is_wide(o.from) ? o.builder.CreateZExt(o.b(), o.whole()) : o.b();
    return o.builder.CreateAnd(count, o.word(is_wide(o.from) ? 63 : 31));
}

// Counts leading or trailing zeros; all bits for zero.
Value* count_zeros(const Operation& o, llvm::Intrinsic::ID id) {
    return o.builder.CreateBinaryIntrinsic(id, o.a(), o.builder.getFalse());
}

template <bool is_signed>
Value* packed(const Operation& o) {
    const MachineTraits& machine = o.options.machine;
    return packed_product(o.builder, machine.packed_products, machine.vector_bytes, is_signed, o.a(), o.b());
}

template <llvm::CmpInst::Predicate F, llvm::CmpInst::Predicate I, llvm::CmpInst::Predicate U>
Value* compare(const Operation& o) {
    if (o.is_float()) return o.builder.CreateFCmp(F, o.a(), o.b());
    return o.builder.CreateICmp(o.is_signed() ? I : U, o.a(), o.b());
}

// The table.

using Emit = Value* (*)(const Operation&);
constexpr std::array<Emit, op_count> table = [] {
    namespace intrinsic = llvm::Intrinsic;
    using enum llvm::CmpInst::Predicate;
    using O = const Operation&;
    std::array<Emit, op_count> t{};
    t[slot(Op::add)] = [](O o) { return o.is_float() ? add_floats(o) : o.builder.CreateAdd(o.a(), o.b()); };
    t[slot(Op::sub)] = [](O o) {
        return o.is_float() ? subtract_floats(o) : o.builder.CreateSub(o.a(), o.b());
    };
    t[slot(Op::mul)] = [](O o) {
        return o.is_float() ? o.builder.CreateFMul(o.a(), o.b()) : o.builder.CreateMul(o.a(), o.b());
    };
    t[slot(Op::div)] = [](O o) {
        return o.is_float() ? o.builder.CreateFDiv(o.a(), o.b()) : divide_integers(o);
    };
    t[slot(Op::rem)] = [](O o) { return o.is_float() ? remainder_of_floats(o) : remainder_of_integers(o); };
    t[slot(Op::neg)] = [](O o) {
        return o.is_float() ? o.builder.CreateFNeg(o.a()) : o.builder.CreateNeg(o.a());
    };
    t[slot(Op::abs)] = absolute;
    t[slot(Op::min)] = [](O o) { return extreme(o, true); };
    t[slot(Op::max)] = [](O o) { return extreme(o, false); };
    t[slot(Op::floor)] = floor;
    t[slot(Op::ceil)] = ceil;
    t[slot(Op::trunc)] = [](O o) { return trunc(o, o.a()); };
    t[slot(Op::round)] = round;
    t[slot(Op::sqrt)] = [](O o) { return o.unary(intrinsic::sqrt, o.a()); };
    t[slot(Op::fma)] = fused;

    t[slot(Op::eq)] = compare<FCMP_OEQ, ICMP_EQ, ICMP_EQ>;
    t[slot(Op::ne)] = compare<FCMP_UNE, ICMP_NE, ICMP_NE>;
    t[slot(Op::lt)] = compare<FCMP_OLT, ICMP_SLT, ICMP_ULT>;
    t[slot(Op::le)] = compare<FCMP_OLE, ICMP_SLE, ICMP_ULE>;
    t[slot(Op::gt)] = compare<FCMP_OGT, ICMP_SGT, ICMP_UGT>;
    t[slot(Op::ge)] = compare<FCMP_OGE, ICMP_SGE, ICMP_UGE>;
    t[slot(Op::select)] = [](O o) { return o.builder.CreateSelect(o.c(), o.b(), o.a()); };
    t[slot(Op::convert)] = convert;
    t[slot(Op::bitcast)] = bitcast;

    t[slot(Op::bit_and)] = [](O o) { return o.builder.CreateAnd(o.a(), o.b()); };
    t[slot(Op::bit_or)] = [](O o) { return o.builder.CreateOr(o.a(), o.b()); };
    t[slot(Op::bit_xor)] = [](O o) { return o.builder.CreateXor(o.a(), o.b()); };
    t[slot(Op::bit_not)] = [](O o) { return o.builder.CreateNot(o.a()); };
    t[slot(Op::logical_not)] = [](O o) { return o.builder.CreateNot(o.a()); };
    t[slot(Op::shift_left)] = [](O o) { return o.builder.CreateShl(o.a(), shift_count(o)); };
    t[slot(Op::shift_right)] = [](O o) {
        return o.is_signed() ? o.builder.CreateAShr(o.a(), shift_count(o))
                             : o.builder.CreateLShr(o.a(), shift_count(o));
    };
    t[slot(Op::count_one_bits)] = [](O o) { return o.unary(intrinsic::ctpop, o.a()); };
    t[slot(Op::count_leading_zeros)] = [](O o) { return count_zeros(o, intrinsic::ctlz); };
    t[slot(Op::count_trailing_zeros)] = [](O o) { return count_zeros(o, intrinsic::cttz); };
    t[slot(Op::reverse_bits)] = [](O o) { return o.unary(intrinsic::bitreverse, o.a()); };
    t[slot(Op::dot4_u8_packed)] = packed<false>;
    t[slot(Op::dot4_i8_packed)] = packed<true>;
    return t;
}();
static_assert(covers(table, {OpKind::arithmetic, OpKind::comparison, OpKind::bits, OpKind::conversion,
                             OpKind::packed}));

// Exact mode: no flags. Fast mode: what WGSL permits (section "Reassociation and Fusion"; 2.5 ULP for a
// division; the sign of a zero may be ignored). WGSL also lets an implementation assume that there are no NaN
// and no infinities, with an indeterminate value at worst. LLVM's nnan and ninf promise more: if they are
// wrong, the result is poison, and a bounds check that depends on it may be removed. So these stay off.
llvm::FastMathFlags float_flags(const LowerOptions& options) {
    llvm::FastMathFlags flags;
    if (options.options.precision == Precision::exact) return flags;
    flags.setAllowContract();
    flags.setAllowReassoc();
    flags.setAllowReciprocal();
    flags.setNoSignedZeros();
    return flags;
}

}  // namespace

// Allows or forbids the machine's reciprocal estimate, refined once, which the code generator may use where
// fast mode lets a division become a multiplication. With AVX-512's 14 bits, the result is within WGSL's 2.5
// ULP (2 for inverseSqrt), and three times as fast as dividing 16 lanes. With the 12 bits of scalars, SSE and
// AVX it isn't accurate enough, and division is fast there.
void prepare_function(llvm::Function& function, const LowerOptions& options) {
    const bool precise = options.machine.vector_bytes == 64;
    function.addFnAttr("reciprocal-estimates", precise ? "vec-divf,vec-sqrtf,!divf,!sqrtf" : "none");
}

Value* emit_operation(Builder& builder, const LowerOptions& options, Op op, Scalar from, Scalar to,
                      std::span<Value* const> operands) {
    assert(operands.size() <= 3);
    if (info(op).group == OpGroup::math) return emit_math(builder, options, op, operands);
    Operation operation{.builder = builder, .options = options, .from = from, .to = to};
    std::copy(operands.begin(), operands.end(), operation.operands.begin());
    const llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
    builder.setFastMathFlags(float_flags(options));
    assert(table[slot(op)] != nullptr && "a componentwise operation");
    return table[slot(op)](operation);
}

Value* joined(Builder& builder, Scalar scalar, Value* low, Value* high) {
    llvm::Type* wide = low->getType()->getWithNewType(builder.getInt64Ty());
    Value* top = builder.CreateShl(builder.CreateZExt(high, wide), llvm::ConstantInt::get(wide, 32));
    Value* bits = builder.CreateOr(builder.CreateZExt(low, wide), top);
    if (scalar != Scalar::f64) return bits;
    return builder.CreateBitCast(bits, wide->getWithNewType(builder.getDoubleTy()));
}

std::array<Value*, 2> split(Builder& builder, Value* wide) {
    llvm::Type* type = wide->getType()->getWithNewType(builder.getInt64Ty());
    llvm::Type* word = wide->getType()->getWithNewType(builder.getInt32Ty());
    Value* bits = builder.CreateBitCast(wide, type);
    return {builder.CreateTrunc(bits, word),
            builder.CreateTrunc(builder.CreateLShr(bits, llvm::ConstantInt::get(type, 32)), word)};
}

}  // namespace muster::cpu
