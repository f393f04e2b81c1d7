// const_value.hpp - values known before the program runs, and what WGSL's const-expressions do with them.
//
// Abstract integers are 64 bits wide, abstract floats are f64, f32 arithmetic is rounded once per operation,
// as at run time. What overflows, isn't finite, divides by zero or shifts too far is a fault with a sentence
// (WGSL sections "Const Expressions", "Arithmetic Expressions", "Bit Expressions", "Floating Point
// Evaluation").
//
//     evaluate_binary(types, ast::BinaryOp::add, one, two)   // -> 3, or why not
//
// Threads: values, shared storage is immutable.
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

/// One scalar: `i` of bool (0, 1), i32, u32 and abstract integers, `f` of f32 and abstract floats.
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
    /// Scalars that a value may have.
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
    /// The same scalars, seen as another type of the same shape.
    ConstValue as(TypeRef type) const {
        ConstValue value = *this;
        value.type_ = type;
        return value;
    }
    /// `type->words` scalars from `first` on.
    ConstValue part(TypeRef type, std::uint64_t first) const;
    /// Member `which` of a structure; element of an array or a vector.
    ConstValue element(std::uint32_t which) const;
    /// What identifies a large value's storage; null for small ones.
    const void* storage() const { return shared_ ? words().data() : nullptr; }

  private:
    TypeRef type_ = nullptr;
    std::uint32_t offset_ = 0, size_ = 0;
    std::array<Word, 4> inline_{};
    std::shared_ptr<const std::vector<Word>> shared_;
};

/// Why a const-expression has no value.
struct ConstFault {
    std::string message;
    std::string fix;
};
using ConstResult = std::expected<ConstValue, ConstFault>;

/// The value in WGSL's spelling: "2147483648", "1.5", "vec2<f32>(1, 2)".
std::string to_text(const ConstValue& value);

/// An automatic conversion. Precondition: converts(value.type(), to).
ConstResult convert_automatically(const ConstValue& value, TypeRef to);
/// A value constructor of a scalar or a vector from one of the same width, `f32(1u)`: abstract numbers must
/// fit, floats are clamped to an integer's range.
ConstResult convert_explicitly(const ConstValue& value, TypeRef to);
/// bitcast. Precondition: both are concrete, of one width.
ConstResult reinterpret(const ConstValue& value, TypeRef to);

/// As WGSL writes it: "+", "<<".
std::string_view spelling(ast::BinaryOp op);

/// Operands are of the types that WGSL's rules ask for, automatic conversions done; scalars beside vectors
/// are splat. `result` is the type of the whole.
ConstResult evaluate_unary(ast::UnaryOp op, const ConstValue& a, TypeRef result);
ConstResult evaluate_binary(ast::BinaryOp op, const ConstValue& a, const ConstValue& b, TypeRef result);

/// What a constant right operand alone makes a fault: zero divisors of integers, shifts by the width or more.
/// Empty: none.
ConstFault check_right_operand(ast::BinaryOp op, TypeRef left, const ConstValue& b);

/// The words that the IR's constants have. Precondition: concrete.
std::vector<std::uint32_t> ir_words(const ConstValue& value);

}  // namespace muster::wgsl
