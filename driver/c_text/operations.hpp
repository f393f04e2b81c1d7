// operations.hpp - writes one operation on values, scalar or componentwise on vectors.
//
// A scalar operation becomes an operator, or a function of the prelude or of the language's. On
// vectors it is a function of the prelude: in C++ an overload of the same operator or function, in C
// one with the operation's name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/c_text/types.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::c_text {

struct Operation {
    Op op;
    TypeId of, result;  // types of the first operand and of the result
    /// The second operand if it is a scalar constant; shifts and divisions by a
    /// constant may use C's operators.
    std::optional<std::uint32_t> constant = {};
};

/// The Function (dialect.hpp) of an operation on f32: "exp_f32".
std::string function_of(Op op);

/// Number of scalars that a program computes with each operation of the math group.
using MathUses = std::array<std::uint32_t, op_count>;
MathUses count_math_uses(const Program& program);

class Operations {
  public:
    Operations(Types& types, Prelude& prelude, const Dialect& dialect, const Syntax& syntax, bool exact,
               const MathUses& math_uses)
        : types_(types),
          prelude_(prelude),
          dialect_(dialect),
          syntax_(syntax),
          exact_(exact),
          math_uses_(math_uses) {}

    Types& types() { return types_; }
    /// Componentwise operations: the groups exact and math, except composites.
    Expression componentwise(const Operation& operation, std::span<const Expression> given);
    Expression all_or_any(Op op, TypeId of, const Expression& given);
    /// Selects by one bool; the values may have any type.
    static Expression select(const Expression& if_false, const Expression& if_true,
                             const Expression& condition);
    /// Selects by each component of a bool vector.
    Expression select_each(TypeId type, std::span<const Expression> given);
    Expression splat(TypeId type, const Expression& given);
    /// Value of a vector's component; zero if the index is out of bounds.
    Expression pick(TypeId of, const Expression& vector, const Expression& index);
    /// Place of a component in memory, whose address has these qualifiers in C. Precondition of the
    /// text: the index is in bounds.
    Expression component(TypeId of, const Expression& vector, const std::string& index,
                         std::string_view qualifiers);
    /// Assigns to a component of a local; does nothing if the index is out of bounds.
    std::string set_component(TypeId of, const std::string& vector, const std::string& index,
                              const std::string& what);

  private:
    struct Spelling {
        enum class Form { infix, prefix, call, cast, nothing } form = Form::call;
        std::string text;  // call: a Function
        Precedence precedence = Precedence::postfix;
        std::string vector_text = {};  // C++: the function's name on vectors, if it isn't `text`
    };
    Spelling spelling(const Operation& operation);
    std::vector<std::string> words_of_components(const Type& type);
    Expression bitcast_by_words(const Operation& operation, const Expression& given);
    std::string define_math(Op op);  // math.cpp; returns its name
    Spelling conversion(Op op, Scalar from, Scalar to) const;
    Expression apply(const Spelling& spelling, std::span<const Expression> given) const;
    /// Defines the operation on vectors, and returns the function's name; in C++ perhaps "operator+".
    std::string on_vectors(const Operation& operation, const Spelling& spelling, std::size_t operands);
    /// Adds a function to the prelude, once. `head`: its type, name and parameters.
    void define(const std::string& head, const std::string& body);

    Types& types_;
    Prelude& prelude_;
    const Dialect& dialect_;
    const Syntax& syntax_;
    bool exact_;
    MathUses math_uses_;
};

}  // namespace muster::c_text
