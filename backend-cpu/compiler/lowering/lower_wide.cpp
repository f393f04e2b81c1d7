#include <array>
#include <cassert>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <muster/backend-cpu/compiler/lowering/lower_wide.hpp>
#include <muster/foundation/semantics/scalar_operations.hpp>

namespace muster::cpu {
namespace {

using llvm::Value;
using scalar_operations::slot;
namespace intrinsic = llvm::Intrinsic;

struct Wide {
    Wide(Builder& builder, const LowerOptions& options, Scalar from, Scalar to,
         std::span<Value* const> operands)
        : b_(builder), options_(options), from_(from), to_(to) {
        std::copy(operands.begin(), operands.end(), operands_.begin());
    }

    Value* a() const { return operands_[0]; }
    Value* b() const { return operands_[1]; }
    bool is_double() const { return from_ == Scalar::f64; }
    llvm::Type* type(llvm::Type* element) const { return a()->getType()->getWithNewType(element); }
    llvm::Type* type(Scalar scalar) const {
        if (scalar == Scalar::f64) return type(b_.getDoubleTy());
        if (scalar == Scalar::f32) return type(b_.getFloatTy());
        return type(is_wide(scalar) ? b_.getInt64Ty() : b_.getInt32Ty());
    }
    Value* integer(std::uint64_t x) const { return llvm::ConstantInt::get(type(b_.getInt64Ty()), x); }
    Value* number(double x) const { return llvm::ConstantFP::get(type(b_.getDoubleTy()), x); }
    Value* unary(intrinsic::ID id, Value* x) const { return b_.CreateUnaryIntrinsic(id, x); }
    Value* bits(Value* x) const { return b_.CreateBitCast(x, type(b_.getInt64Ty())); }
    Value* is_nan(Value* x) const { return b_.CreateFCmpUNO(x, x); }
    Value* with_sign_of(Value* magnitude, Value* sign) const {
        return b_.CreateBinaryIntrinsic(intrinsic::copysign, magnitude, sign);
    }
    Value* count() const { return b_.CreateAnd(b_.CreateZExt(b(), a()->getType()), integer(63)); }
    // The divisor, with 1 in place of values that would trap, as in lower_operation.cpp.
    Value* harmless_divisor() const {
        Value* traps = b_.CreateICmpEQ(b(), integer(0));
        if (is_signed(from_))
            traps = b_.CreateOr(traps, b_.CreateAnd(b_.CreateICmpEQ(a(), integer(std::uint64_t{1} << 63)),
                                                    b_.CreateICmpEQ(b(), integer(UINT64_MAX))));
        return b_.CreateSelect(traps, integer(1), b());
    }
    Value* divide() const {
        if (is_double()) return b_.CreateFDiv(a(), b());
        return is_signed(from_) ? b_.CreateSDiv(a(), harmless_divisor())
                                : b_.CreateUDiv(a(), harmless_divisor());
    }
    Value* remainder() const {
        if (is_double()) return b_.CreateFSub(a(), b_.CreateFMul(b(), trunc(b_.CreateFDiv(a(), b()))));
        return is_signed(from_) ? b_.CreateSRem(a(), harmless_divisor())
                                : b_.CreateURem(a(), harmless_divisor());
    }

    Value* absolute() const {
        if (is_double()) return unary(intrinsic::fabs, a());
        return is_signed(from_) ? b_.CreateBinaryIntrinsic(intrinsic::abs, a(), b_.getFalse()) : a();
    }

    Value* extreme(bool least) const {
        if (!is_double()) {
            if (is_signed(from_))
                return b_.CreateBinaryIntrinsic(least ? intrinsic::smin : intrinsic::smax, a(), b());
            return b_.CreateBinaryIntrinsic(least ? intrinsic::umin : intrinsic::umax, a(), b());
        }
        Value* before = least ? b_.CreateFCmpOLT(a(), b()) : b_.CreateFCmpOGT(a(), b());
        Value* after = least ? b_.CreateFCmpOLT(b(), a()) : b_.CreateFCmpOGT(b(), a());
        Value* merged = least ? b_.CreateOr(bits(a()), bits(b())) : b_.CreateAnd(bits(a()), bits(b()));
        Value* equal = b_.CreateBitCast(merged, a()->getType());
        Value* neither =
            b_.CreateSelect(b_.CreateFCmpOEQ(a(), b()), equal, b_.CreateSelect(is_nan(a()), b(), a()));
        return b_.CreateSelect(before, a(), b_.CreateSelect(after, b(), neither));
    }

    // Rounding to integers; without an instruction, as in semantics.hpp.
    Value* is_below_integers(Value* x) const {
        return b_.CreateFCmpOLT(unary(intrinsic::fabs, x), number(semantics::integers_from<double>));
    }
    Value* trunc(Value* x) const {
        if (options_.machine.has_rounding) return unary(intrinsic::trunc, x);
        Value* small = is_below_integers(x);
        Value* within = b_.CreateSelect(small, x, number(0));
        Value* whole = b_.CreateSIToFP(b_.CreateFPToSI(within, type(b_.getInt64Ty())), x->getType());
        return b_.CreateSelect(small, with_sign_of(whole, x), x);
    }
    Value* floor() const {
        if (options_.machine.has_rounding) return unary(intrinsic::floor, a());
        Value* t = trunc(a());
        return b_.CreateSelect(b_.CreateFCmpOGT(t, a()), b_.CreateFSub(t, number(1)), t);
    }
    Value* ceil() const {
        if (options_.machine.has_rounding) return unary(intrinsic::ceil, a());
        Value* t = trunc(a());
        return with_sign_of(b_.CreateSelect(b_.CreateFCmpOLT(t, a()), b_.CreateFAdd(t, number(1)), t), a());
    }
    Value* round() const {
        if (options_.machine.has_rounding) return unary(intrinsic::roundeven, a());
        const llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
        b_.clearFastMathFlags();
        Value* shifter = number(semantics::integers_from<double>);
        Value* whole = b_.CreateFSub(b_.CreateFAdd(unary(intrinsic::fabs, a()), shifter), shifter);
        return b_.CreateSelect(is_below_integers(a()), with_sign_of(whole, a()), a());
    }

    Value* compare(llvm::CmpInst::Predicate f, llvm::CmpInst::Predicate i, llvm::CmpInst::Predicate u) const {
        if (is_double()) return b_.CreateFCmp(f, a(), b());
        return b_.CreateICmp(is_signed(from_) ? i : u, a(), b());
    }

    // Clamps first, since LLVM's conversion gives poison out of range; NaN becomes `low`.
    Value* clamped(Value* x, double low, double high) const {
        const auto bound = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
        Value* above = b_.CreateSelect(b_.CreateFCmpOGT(x, bound(low)), x, bound(low));
        return b_.CreateSelect(b_.CreateFCmpOLT(above, bound(high)), above, bound(high));
    }
    Value* integer_of_float(Value* x) const {
        const bool of_f32 = x->getType()->getScalarType()->isFloatTy();
        if (!is_signed(to_)) {
            const double most = to_ == Scalar::u32 ? (of_f32 ? 4294967040.0 : 4294967295.0)
                                                   : (of_f32 ? 0x1.fffffep63 : 0x1.fffffffffffffp63);
            return b_.CreateFPToUI(clamped(x, 0, most), type(to_));
        }
        const double low = to_ == Scalar::i32 ? -0x1p31 : -0x1p63;
        const double high = to_ == Scalar::i32 ? (of_f32 ? 2147483520.0 : 2147483647.0)
                                               : (of_f32 ? 0x1.fffffep62 : 0x1.fffffffffffffp62);
        Value* whole = b_.CreateFPToSI(clamped(x, low, high), type(to_));
        return b_.CreateSelect(is_nan(x), llvm::Constant::getNullValue(whole->getType()), whole);
    }
    Value* convert() const {
        if (from_ == Scalar::f64) {
            if (to_ == Scalar::boolean) return b_.CreateFCmpUNE(a(), number(0));
            if (to_ == Scalar::f32) return b_.CreateFPTrunc(a(), type(to_));
            return integer_of_float(a());
        }
        if (from_ == Scalar::f32)
            return to_ == Scalar::f64 ? b_.CreateFPExt(a(), type(to_)) : integer_of_float(a());
        if (is_wide(from_)) {
            if (to_ == Scalar::boolean) return b_.CreateICmpNE(a(), integer(0));
            if (to_ == Scalar::i32 || to_ == Scalar::u32) return b_.CreateTrunc(a(), type(to_));
            if (is_wide(to_) && to_ != Scalar::f64) return a();
            return is_signed(from_) ? b_.CreateSIToFP(a(), type(to_)) : b_.CreateUIToFP(a(), type(to_));
        }
        if (to_ == Scalar::f64)
            return from_ == Scalar::i32 ? b_.CreateSIToFP(a(), type(to_)) : b_.CreateUIToFP(a(), type(to_));
        return from_ == Scalar::i32 ? b_.CreateSExt(a(), type(to_)) : b_.CreateZExt(a(), type(to_));
    }

    Value* bitcast() const {
        if (from_ != Scalar::f64) return b_.CreateBitCast(a(), type(to_));
        return b_.CreateSelect(is_nan(a()), integer(semantics::canonical_nan_of_double), bits(a()));
    }

    Builder& b_;
    const LowerOptions& options_;
    Scalar from_, to_;
    std::array<Value*, 3> operands_{};
};

using Table = std::array<Value* (*)(const Wide&), op_count>;

constexpr Table table = [] {
    using O = const Wide&;
    Table t{};
    t[slot(Op::add)] = [](O o) {
        return o.is_double() ? o.b_.CreateFAdd(o.a(), o.b()) : o.b_.CreateAdd(o.a(), o.b());
    };
    t[slot(Op::sub)] = [](O o) {
        return o.is_double() ? o.b_.CreateFSub(o.a(), o.b()) : o.b_.CreateSub(o.a(), o.b());
    };
    t[slot(Op::mul)] = [](O o) {
        return o.is_double() ? o.b_.CreateFMul(o.a(), o.b()) : o.b_.CreateMul(o.a(), o.b());
    };
    t[slot(Op::div)] = [](O o) { return o.divide(); };
    t[slot(Op::rem)] = [](O o) { return o.remainder(); };
    t[slot(Op::neg)] = [](O o) { return o.is_double() ? o.b_.CreateFNeg(o.a()) : o.b_.CreateNeg(o.a()); };
    t[slot(Op::abs)] = [](O o) { return o.absolute(); };
    t[slot(Op::min)] = [](O o) { return o.extreme(true); };
    t[slot(Op::max)] = [](O o) { return o.extreme(false); };
    t[slot(Op::floor)] = [](O o) { return o.floor(); };
    t[slot(Op::ceil)] = [](O o) { return o.ceil(); };
    t[slot(Op::trunc)] = [](O o) { return o.trunc(o.a()); };
    t[slot(Op::round)] = [](O o) { return o.round(); };
    t[slot(Op::sqrt)] = [](O o) { return o.unary(intrinsic::sqrt, o.a()); };
    t[slot(Op::fma)] = [](O o) -> Value* {
        return o.b_.CreateIntrinsic(intrinsic::fma, {o.a()->getType()}, {o.a(), o.b(), o.operands_[2]});
    };
    t[slot(Op::eq)] = [](O o) {
        return o.compare(llvm::CmpInst::FCMP_OEQ, llvm::CmpInst::ICMP_EQ, llvm::CmpInst::ICMP_EQ);
    };
    t[slot(Op::ne)] = [](O o) {
        return o.compare(llvm::CmpInst::FCMP_UNE, llvm::CmpInst::ICMP_NE, llvm::CmpInst::ICMP_NE);
    };
    t[slot(Op::lt)] = [](O o) {
        return o.compare(llvm::CmpInst::FCMP_OLT, llvm::CmpInst::ICMP_SLT, llvm::CmpInst::ICMP_ULT);
    };
    t[slot(Op::le)] = [](O o) {
        return o.compare(llvm::CmpInst::FCMP_OLE, llvm::CmpInst::ICMP_SLE, llvm::CmpInst::ICMP_ULE);
    };
    t[slot(Op::gt)] = [](O o) {
        return o.compare(llvm::CmpInst::FCMP_OGT, llvm::CmpInst::ICMP_SGT, llvm::CmpInst::ICMP_UGT);
    };
    t[slot(Op::ge)] = [](O o) {
        return o.compare(llvm::CmpInst::FCMP_OGE, llvm::CmpInst::ICMP_SGE, llvm::CmpInst::ICMP_UGE);
    };
    t[slot(Op::bit_and)] = [](O o) { return o.b_.CreateAnd(o.a(), o.b()); };
    t[slot(Op::bit_or)] = [](O o) { return o.b_.CreateOr(o.a(), o.b()); };
    t[slot(Op::bit_xor)] = [](O o) { return o.b_.CreateXor(o.a(), o.b()); };
    t[slot(Op::bit_not)] = [](O o) { return o.b_.CreateNot(o.a()); };
    t[slot(Op::shift_left)] = [](O o) { return o.b_.CreateShl(o.a(), o.count()); };
    t[slot(Op::shift_right)] = [](O o) {
        return is_signed(o.from_) ? o.b_.CreateAShr(o.a(), o.count()) : o.b_.CreateLShr(o.a(), o.count());
    };
    t[slot(Op::count_one_bits)] = [](O o) { return o.unary(intrinsic::ctpop, o.a()); };
    t[slot(Op::count_leading_zeros)] = [](O o) {
        return o.b_.CreateBinaryIntrinsic(intrinsic::ctlz, o.a(), o.b_.getFalse());
    };
    t[slot(Op::count_trailing_zeros)] = [](O o) {
        return o.b_.CreateBinaryIntrinsic(intrinsic::cttz, o.a(), o.b_.getFalse());
    };
    t[slot(Op::reverse_bits)] = [](O o) { return o.unary(intrinsic::bitreverse, o.a()); };
    t[slot(Op::select)] = [](O o) { return o.b_.CreateSelect(o.operands_[2], o.b(), o.a()); };
    t[slot(Op::convert)] = [](O o) { return o.convert(); };
    t[slot(Op::bitcast)] = [](O o) { return o.bitcast(); };
    return t;
}();

}  // namespace

Value* emit_wide_operation(Builder& builder, const LowerOptions& options, Op op, Scalar from, Scalar to,
                           std::span<Value* const> operands) {
    const llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
    builder.setFastMathFlags(float_flags(options));
    assert(table[slot(op)] != nullptr && "a componentwise operation");
    return table[slot(op)](Wide(builder, options, from, to, operands));
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
