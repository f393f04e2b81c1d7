// const_value.hpp - values known before the program runs, and the evaluation of WGSL's const-expressions.
//
// Abstract integers are 64 bits wide, abstract floats are f64, and f32 and f16 arithmetic rounds once per
// operation, as at run time. Overflow, a non-finite result, division by zero and too large a shift are
// faults with a message (WGSL sections "Const Expressions", "Arithmetic Expressions", "Bit Expressions",
// "Floating Point Evaluation").
//
//     evaluate_binary(ast::BinaryOp::add, one, two, types.abstract_int)   // -> 3, or a fault
//
// Threads: values; shared storage is immutable.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/wgsl/parse/ast.hpp>
#include <muster/foundation/wgsl/resolve/types.hpp>

namespace muster::wgsl {

/// One scalar: `i` for bool (0, 1) and integers, `f` for f32, f16 and abstract floats.
union Word {
    std::int64_t i = 0;
    double f;
};
constexpr Word word(std::int64_t value) { return Word{.i = value}; }
constexpr Word word(double value) {
    Word w;
    w.f = value;
    return w;
}

/// A value of any constructible type: its scalars in order. Cheap to copy; parts of large values share their
/// storage.
class ConstValue {
  public:
    /// Most scalars of one value.
    static constexpr std::uint64_t max_words = limits::value_words;

    ConstValue() = default;
    ConstValue(TypeRef type, Word scalar) : type_(type), size_(1), inline_{scalar} {}
    ConstValue(TypeRef type, std::span<const Word> words);
    /// Precondition: type->words <= max_words.
    static ConstValue zero(TypeRef type);

    TypeRef type() const { return type_; }
    std::span<const Word> words() const {
        return shared_ ? std::span<const Word>(*shared_).subspan(offset_, size_)
                       : std::span<const Word>(inline_.data(), size_);
    }
    Word operator[](std::size_t i) const { return words()[i]; }
    bool boolean() const { return inline_[0].i != 0; }
    std::int64_t integer() const { return inline_[0].i; }
    /// The same scalars as a value of another type of the same shape.
    ConstValue as(TypeRef type) const {
        ConstValue value = *this;
        value.type_ = type;
        return value;
    }
    /// A part with `type->words` scalars, from scalar `first` on.
    ConstValue part(TypeRef type, std::uint64_t first) const;
    /// Member `which` of a structure, or element `which` of an array or vector.
    ConstValue element(std::uint32_t which) const;
    /// An identity for a large value's storage; null for small values.
    const void* storage() const { return shared_ ? words().data() : nullptr; }

  private:
    TypeRef type_ = nullptr;
    std::uint32_t offset_ = 0, size_ = 0;
    std::array<Word, 4> inline_{};
    std::shared_ptr<const std::vector<Word>> shared_;
};

/// The error of a const-expression without a value.
struct ConstFault {
    std::string message;
    std::string fix;
};
inline std::unexpected<ConstFault> fault(std::string message, std::string fix) {
    return std::unexpected(ConstFault{std::move(message), std::move(fix)});
}
using ConstResult = std::expected<ConstValue, ConstFault>;

/// The value in WGSL's syntax: "2147483648", "1.5", "vec2<f32>(1, 2)".
std::string to_text(const ConstValue& value);

/// Applies an automatic conversion, or a value constructor to a scalar or a vector of the same width,
/// as in `f32(1u)`: abstract integers must fit, abstract floats must fit f32 or f16; floats are
/// clamped to an integer's range.
ConstResult convert_constant(const ConstValue& value, TypeRef to);
/// Evaluates bitcast. Precondition: both types are concrete and have the same size.
ConstResult reinterpret(const ConstValue& value, TypeRef to);

/// The operator in WGSL: "+", "<<".
/// The operation that computes it; of `&&` and `||`, those of the same bits.
Op ir_op(ast::BinaryOp op);
std::string_view spelling(ast::BinaryOp op);

/// Precondition: automatic conversions are done, so the operands have the types that WGSL's rules require; a
/// scalar operand beside a vector applies to every component. `result` is the type of the result.
ConstResult evaluate_unary(ast::UnaryOp op, const ConstValue& a, TypeRef result);
ConstResult evaluate_binary(ast::BinaryOp op, const ConstValue& a, const ConstValue& b, TypeRef result);

/// The fault that the right operand alone causes: a zero divisor of integers, or a shift by the bit width or
/// more. Empty if none.
ConstFault check_right_operand(ast::BinaryOp op, TypeRef left, const ConstValue& b);

/// The words of the value as an IR constant. Precondition: its type is concrete.
std::vector<std::uint32_t> ir_words(const ConstValue& value);

}  // namespace muster::wgsl
