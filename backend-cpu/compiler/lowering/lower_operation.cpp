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
#include <muster/foundation/semantics/scalar_operations.hpp>

namespace muster::cpu {
namespace {

using llvm::Value;
using scalar_operations::slot;

// Exact mode: no flags. Fast mode: what WGSL permits (section "Reassociation and Fusion"; 2.5 ULP for a
// division; the sign of a zero may be ignored). WGSL also lets an implementation assume that there are no NaN
// and no infinities, with an indeterminate value at worst. LLVM's nnan and ninf promise more: if they are
// wrong, the result is poison, and a bounds check that depends on it may be removed. So these stay off.
}  // namespace

llvm::FastMathFlags float_flags(const LowerOptions& options) {
    llvm::FastMathFlags flags;
    if (options.options.precision == Precision::exact) return flags;
    flags.setAllowContract();
    flags.setAllowReassoc();
    flags.setAllowReciprocal();
    flags.setNoSignedZeros();
    return flags;
}

namespace {

// One operation to emit: its operands, and the building blocks for the table below.
struct Operation {
    Builder& builder;
    const LowerOptions& options;
    Scalar from, to;
    std::array<Value*, 3> operands{};

    Value* a() const { return operands[0]; }
    Value* b() const { return operands[1]; }
    Value* c() const { return operands[2]; }
    bool is_f32() const { return from == Scalar::f32; }
    bool is_signed() const { return from == Scalar::i32; }
    bool is_fast() const { return options.options.precision == Precision::fast; }
    bool is_vector() const { return a()->getType()->isVectorTy(); }

    llvm::Type* type(llvm::Type* element) const { return a()->getType()->getWithNewType(element); }
    llvm::Type* type(Scalar scalar) const {
        if (scalar == Scalar::f32) return type(builder.getFloatTy());
        return type(scalar == Scalar::boolean ? builder.getInt1Ty() : builder.getInt32Ty());
    }
    Value* number(float x) const { return llvm::ConstantFP::get(type(Scalar::f32), static_cast<double>(x)); }
    Value* word(std::uint32_t x) const { return llvm::ConstantInt::get(type(Scalar::u32), x); }
    Value* unary(llvm::Intrinsic::ID id, Value* x) const { return builder.CreateUnaryIntrinsic(id, x); }
    Value* binary(llvm::Intrinsic::ID id) const { return builder.CreateBinaryIntrinsic(id, a(), b()); }
    Value* bits(Value* x) const { return builder.CreateBitCast(x, type(Scalar::u32)); }
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
    if (every_lane<llvm::ConstantInt>(o.b(), harmless)) return o.b();
    Value* traps = o.builder.CreateICmpEQ(o.b(), o.word(0));
    if (o.is_signed()) {
        Value* overflows = o.builder.CreateAnd(o.builder.CreateICmpEQ(o.a(), o.word(0x80000000u)),
                                               o.builder.CreateICmpEQ(o.b(), o.word(0xffffffffu)));
        traps = o.builder.CreateOr(traps, overflows);
    }
    return o.builder.CreateSelect(traps, o.word(1), o.b());
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
    llvm::Type* whole = o.type(Scalar::u32);
    return o.is_signed() ? o.builder.CreateFPToSI(quotient, whole) : o.builder.CreateFPToUI(quotient, whole);
}

Value* divide_integers(const Operation& o) {
    Value* divisor = harmless_divisor(o);
    if (o.is_vector() && !llvm::isa<llvm::Constant>(divisor)) return quotient_by_double(o, divisor);
    return o.is_signed() ? o.builder.CreateSDiv(o.a(), divisor) : o.builder.CreateUDiv(o.a(), divisor);
}

Value* remainder_of_integers(const Operation& o) {
    Value* divisor = harmless_divisor(o);
    if (o.is_vector() && !llvm::isa<llvm::Constant>(divisor))
        return o.builder.CreateSub(o.a(), o.builder.CreateMul(quotient_by_double(o, divisor), divisor));
    return o.is_signed() ? o.builder.CreateSRem(o.a(), divisor) : o.builder.CreateURem(o.a(), divisor);
}

// Rounding to integers. Without an instruction for it, as in semantics.hpp; these sums must not be
// reassociated, not even in fast mode.

Value* is_below_integers(const Operation& o, Value* x) {
    return o.builder.CreateFCmpOLT(o.unary(llvm::Intrinsic::fabs, x),
                                   o.number(semantics::integers_from<float>));
}

Value* trunc(const Operation& o, Value* x) {
    if (o.options.machine.has_rounding) return o.unary(llvm::Intrinsic::trunc, x);
    Value* small = is_below_integers(o, x);
    Value* within = o.builder.CreateSelect(small, x, o.number(0));
    Value* whole = o.builder.CreateSIToFP(o.builder.CreateFPToSI(within, o.type(Scalar::i32)), x->getType());
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
    Value* shifter = o.number(semantics::integers_from<float>);
    Value* shifted = o.builder.CreateFAdd(o.unary(llvm::Intrinsic::fabs, o.a()), shifter);
    Value* whole = o.with_sign_of(o.builder.CreateFSub(shifted, shifter), o.a());
    return o.builder.CreateSelect(is_below_integers(o, o.a()), whole, o.a());
}

// Other arithmetic on f32.

Value* remainder_of_floats(const Operation& o) {
    Value* whole = trunc(o, o.builder.CreateFDiv(o.a(), o.b()));
    return o.builder.CreateFSub(o.a(), o.builder.CreateFMul(o.b(), whole));
}

Value* fma(const Operation& o, Value* a, Value* b, Value* c) {
    return o.builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

Value* fused(const Operation& o) {
    if (!o.options.machine.has_fma)  // only in fast mode: in exact programs the driver has expanded fma
        return o.builder.CreateFAdd(o.builder.CreateFMul(o.a(), o.b()), o.c());
    return fma(o, o.a(), o.b(), o.c());
}

// x as a product that may be contracted, or null. The code generator contracts only products with one use;
// one with more uses is worth it too, since the sum costs the same and waits for one operation less.
const llvm::BinaryOperator* contractible(const Operation& o, Value* x) {
    if (!o.is_fast() || !o.options.machine.has_fma) return nullptr;
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

Value* extreme(const Operation& o, bool least) {
    if (o.is_f32()) return extreme_of_floats(o, least);
    if (o.is_signed()) return o.binary(least ? llvm::Intrinsic::smin : llvm::Intrinsic::smax);
    return o.binary(least ? llvm::Intrinsic::umin : llvm::Intrinsic::umax);
}

Value* absolute(const Operation& o) {
    if (o.is_f32()) return o.unary(llvm::Intrinsic::fabs, o.a());
    if (!o.is_signed()) return o.a();
    return o.builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, o.a(), o.builder.getFalse());
}

// Conversion.

// Clamps first, since LLVM's conversion gives poison out of range; NaN becomes `low`.
Value* clamped(const Operation& o, float low, float high) {
    return nearer(o, true, nearer(o, false, o.a(), o.number(low)), o.number(high));
}

Value* integer_of_float(const Operation& o) {
    if (o.to == Scalar::u32)
        return o.builder.CreateFPToUI(clamped(o, 0.0f, 4294967040.0f), o.type(Scalar::u32));
    Value* whole = o.builder.CreateFPToSI(clamped(o, -2147483648.0f, 2147483520.0f), o.type(Scalar::i32));
    return o.builder.CreateSelect(o.is_nan(o.a()), o.word(0), whole);
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
    if (o.to == Scalar::boolean)
        return o.is_f32() ? o.builder.CreateFCmpUNE(o.a(), o.number(0))
                          : o.builder.CreateICmpNE(o.a(), o.word(0));
    if (o.is_f32()) return integer_of_float(o);
    if (o.to == Scalar::f32)
        return o.is_signed() ? o.builder.CreateSIToFP(o.a(), o.type(o.to))
                             : o.builder.CreateUIToFP(o.a(), o.type(o.to));
    return o.from == Scalar::boolean ? o.builder.CreateZExt(o.a(), o.type(o.to)) : o.a();
}

Value* bitcast(const Operation& o) {
    if (!o.is_f32()) return o.to == Scalar::f32 ? o.from_bits(o.a()) : o.a();
    if (o.to == Scalar::f32) return o.a();
    const llvm::DataLayout& layout = o.builder.GetInsertBlock()->getModule()->getDataLayout();
    if (o.is_fast() || llvm::isKnownNeverNaN(o.a(), 0, llvm::SimplifyQuery(layout))) return o.bits(o.a());
    return o.builder.CreateSelect(o.is_nan(o.a()), o.word(semantics::canonical_nan), o.bits(o.a()));
}

Value* shift_count(const Operation& o) { return o.builder.CreateAnd(o.b(), o.word(31)); }

// Counts leading or trailing zeros; 32 for zero.
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
    if (o.is_f32()) return o.builder.CreateFCmp(F, o.a(), o.b());
    return o.builder.CreateICmp(o.is_signed() ? I : U, o.a(), o.b());
}

// The table.

using Emit = Value* (*)(const Operation&);
using Table = std::array<Emit, op_count>;

constexpr void list_arithmetic(Table& t) {
    namespace intrinsic = llvm::Intrinsic;
    using O = const Operation&;
    t[slot(Op::add)] = [](O o) { return o.is_f32() ? add_floats(o) : o.builder.CreateAdd(o.a(), o.b()); };
    t[slot(Op::sub)] = [](O o) {
        return o.is_f32() ? subtract_floats(o) : o.builder.CreateSub(o.a(), o.b());
    };
    t[slot(Op::mul)] = [](O o) {
        return o.is_f32() ? o.builder.CreateFMul(o.a(), o.b()) : o.builder.CreateMul(o.a(), o.b());
    };
    t[slot(Op::div)] = [](O o) {
        return o.is_f32() ? o.builder.CreateFDiv(o.a(), o.b()) : divide_integers(o);
    };
    t[slot(Op::rem)] = [](O o) { return o.is_f32() ? remainder_of_floats(o) : remainder_of_integers(o); };
    t[slot(Op::neg)] = [](O o) {
        return o.is_f32() ? o.builder.CreateFNeg(o.a()) : o.builder.CreateNeg(o.a());
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
}

constexpr void list_logic(Table& t) {
    using enum llvm::CmpInst::Predicate;
    using O = const Operation&;
    t[slot(Op::eq)] = compare<FCMP_OEQ, ICMP_EQ, ICMP_EQ>;
    t[slot(Op::ne)] = compare<FCMP_UNE, ICMP_NE, ICMP_NE>;
    t[slot(Op::lt)] = compare<FCMP_OLT, ICMP_SLT, ICMP_ULT>;
    t[slot(Op::le)] = compare<FCMP_OLE, ICMP_SLE, ICMP_ULE>;
    t[slot(Op::gt)] = compare<FCMP_OGT, ICMP_SGT, ICMP_UGT>;
    t[slot(Op::ge)] = compare<FCMP_OGE, ICMP_SGE, ICMP_UGE>;
    t[slot(Op::select)] = [](O o) { return o.builder.CreateSelect(o.c(), o.b(), o.a()); };
    t[slot(Op::convert)] = convert;
    t[slot(Op::bitcast)] = bitcast;
}

constexpr void list_bits(Table& t) {
    namespace intrinsic = llvm::Intrinsic;
    using O = const Operation&;
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
}

constexpr Table table = [] {
    Table t{};
    list_arithmetic(t);
    list_logic(t);
    list_bits(t);
    return t;
}();

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

}  // namespace muster::cpu
