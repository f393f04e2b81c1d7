// lane_number.hpp - a Number (foundation/math/number.hpp) that appends LLVM instructions, on scalars or on
// lanes: functions of foundation/math and lower_math.cpp are written as plain arithmetic.
//
//     LaneFloat y = math::tanh(LaneFloat{&builder, x});   // y.value is the result
//
// Literals take the width of the other operand. Fast-math flags are the builder's. bits_of() preserves a
// NaN's bits. Threads: the builder's.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <muster/backend-cpu/compiler/lowering/lower_operation.hpp>
#include <muster/foundation/math/number.hpp>

namespace muster::cpu {

struct LaneBool {
    Builder* builder;
    llvm::Value* value;
};
struct LaneBits {  // i32, unsigned
    Builder* builder;
    llvm::Value* value;
};
struct LaneFloat {
    Builder* builder;
    llvm::Value* value;
};

namespace detail {

template <class V>
LaneFloat literal(const V& beside, float x) {
    llvm::Type* type = beside.value->getType()->getWithNewType(beside.builder->getFloatTy());
    return {beside.builder, llvm::ConstantFP::get(type, static_cast<double>(x))};
}
template <class V>
LaneBits literal(const V& beside, std::uint32_t x) {
    llvm::Type* type = beside.value->getType()->getWithNewType(beside.builder->getInt32Ty());
    return {beside.builder, llvm::ConstantInt::get(type, x)};
}
inline LaneFloat unary(llvm::Intrinsic::ID id, LaneFloat x) {
    return {x.builder, x.builder->CreateUnaryIntrinsic(id, x.value)};
}

}  // namespace detail

// clang-format off
inline LaneFloat operator+(LaneFloat a, LaneFloat b) { return {a.builder, a.builder->CreateFAdd(a.value, b.value)}; }
inline LaneFloat operator-(LaneFloat a, LaneFloat b) { return {a.builder, a.builder->CreateFSub(a.value, b.value)}; }
inline LaneFloat operator*(LaneFloat a, LaneFloat b) { return {a.builder, a.builder->CreateFMul(a.value, b.value)}; }
inline LaneFloat operator/(LaneFloat a, LaneFloat b) { return {a.builder, a.builder->CreateFDiv(a.value, b.value)}; }
inline LaneFloat operator+(LaneFloat a, float b) { return a + detail::literal(a, b); }
inline LaneFloat operator-(LaneFloat a, float b) { return a - detail::literal(a, b); }
inline LaneFloat operator*(LaneFloat a, float b) { return a * detail::literal(a, b); }
inline LaneFloat operator+(float a, LaneFloat b) { return detail::literal(b, a) + b; }
inline LaneFloat operator-(float a, LaneFloat b) { return detail::literal(b, a) - b; }
inline LaneFloat operator/(float a, LaneFloat b) { return detail::literal(b, a) / b; }
inline LaneFloat operator-(LaneFloat a) { return {a.builder, a.builder->CreateFNeg(a.value)}; }

inline LaneBool operator<(LaneFloat a, LaneFloat b) { return {a.builder, a.builder->CreateFCmpOLT(a.value, b.value)}; }
inline LaneBool operator>(LaneFloat a, LaneFloat b) { return {a.builder, a.builder->CreateFCmpOGT(a.value, b.value)}; }
inline LaneBool operator==(LaneFloat a, LaneFloat b) { return {a.builder, a.builder->CreateFCmpOEQ(a.value, b.value)}; }
inline LaneBool operator<(LaneFloat a, float b) { return a < detail::literal(a, b); }
inline LaneBool operator>(LaneFloat a, float b) { return a > detail::literal(a, b); }
inline LaneBool operator==(LaneFloat a, float b) { return a == detail::literal(a, b); }

inline LaneFloat abs(LaneFloat x) { return detail::unary(llvm::Intrinsic::fabs, x); }
inline LaneFloat sqrt(LaneFloat x) { return detail::unary(llvm::Intrinsic::sqrt, x); }
inline LaneFloat trunc(LaneFloat x) { return detail::unary(llvm::Intrinsic::trunc, x); }
inline LaneBits bits_of(LaneFloat x) {
    return {x.builder, x.builder->CreateBitCast(x.value, detail::literal(x, 0u).value->getType())};
}
inline LaneFloat float_of(LaneBits x) {
    return {x.builder, x.builder->CreateBitCast(x.value, detail::literal(x, 0.0f).value->getType())};
}

inline LaneFloat select(LaneFloat if_false, LaneFloat if_true, LaneBool condition) {
    return {condition.builder, condition.builder->CreateSelect(condition.value, if_true.value, if_false.value)};
}
inline LaneFloat select(float if_false, LaneFloat if_true, LaneBool condition) {
    return select(detail::literal(condition, if_false), if_true, condition);
}
inline LaneFloat select(LaneFloat if_false, float if_true, LaneBool condition) {
    return select(if_false, detail::literal(condition, if_true), condition);
}
inline LaneFloat select(float if_false, float if_true, LaneBool condition) {
    return select(detail::literal(condition, if_false), detail::literal(condition, if_true), condition);
}
inline LaneBool both(LaneBool a, LaneBool b) { return {a.builder, a.builder->CreateAnd(a.value, b.value)}; }
inline LaneBool either(LaneBool a, LaneBool b) { return {a.builder, a.builder->CreateOr(a.value, b.value)}; }
inline LaneBool differ(LaneBool a, LaneBool b) { return {a.builder, a.builder->CreateXor(a.value, b.value)}; }
inline LaneBool not_(LaneBool a) { return {a.builder, a.builder->CreateNot(a.value)}; }

inline LaneBits operator+(LaneBits a, LaneBits b) { return {a.builder, a.builder->CreateAdd(a.value, b.value)}; }
inline LaneBits operator-(LaneBits a, LaneBits b) { return {a.builder, a.builder->CreateSub(a.value, b.value)}; }
inline LaneBits operator^(LaneBits a, LaneBits b) { return {a.builder, a.builder->CreateXor(a.value, b.value)}; }
inline LaneBits operator|(LaneBits a, LaneBits b) { return {a.builder, a.builder->CreateOr(a.value, b.value)}; }
inline LaneBits operator+(LaneBits a, std::uint32_t b) { return a + detail::literal(a, b); }
inline LaneBits operator-(LaneBits a, std::uint32_t b) { return a - detail::literal(a, b); }
inline LaneBits operator-(std::uint32_t a, LaneBits b) { return detail::literal(b, a) - b; }
inline LaneBits operator|(LaneBits a, std::uint32_t b) { return a | detail::literal(a, b); }
inline LaneBits operator&(LaneBits a, std::uint32_t b) { return {a.builder, a.builder->CreateAnd(a.value, b)}; }
inline LaneBits operator<<(LaneBits a, std::uint32_t b) { return {a.builder, a.builder->CreateShl(a.value, b)}; }
inline LaneBits operator>>(LaneBits a, std::uint32_t b) { return {a.builder, a.builder->CreateLShr(a.value, b)}; }
inline LaneBool operator!=(LaneBits a, std::uint32_t b) {
    return {a.builder, a.builder->CreateICmpNE(a.value, detail::literal(a, b).value)};
}
inline LaneBool operator>=(LaneBits a, std::uint32_t b) {
    return {a.builder, a.builder->CreateICmpUGE(a.value, detail::literal(a, b).value)};
}
// clang-format on

}  // namespace muster::cpu
