// lower_operation.hpp - writes one operation on values, scalar or componentwise on vectors.
//
// A scalar operation becomes an operator, or a function of the prelude or of CUDA's. On vectors it is an
// overload of the same operator or function, which is added to the prelude.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <muster/backend-cuda/lowering/expression.hpp>
#include <muster/backend-cuda/lowering/lower_type.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cuda {

struct Operation {
    Op op;
    TypeId of, result;  // types of the first operand and of the result
    /// The second operand if it is a scalar constant; shifts and divisions by a constant may use CUDA's operators.
    std::optional<std::uint32_t> constant = {};
};

/// Number of scalars that a program computes with each operation of the math group.
using MathUses = std::array<std::uint32_t, op_count>;
MathUses count_math_uses(const Program& program);

class Operations {
  public:
    Operations(Types& types, Prelude& prelude, bool exact, const MathUses& math_uses)
        : types_(types), prelude_(prelude), exact_(exact), math_uses_(math_uses) {}

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
    /// Reference to a component in memory. Precondition of the text: the index is in bounds.
    Expression component(TypeId of, const Expression& vector, const std::string& index);
    /// Assigns to a component of a local; does nothing if the index is out of bounds.
    std::string set_component(TypeId of, const std::string& vector, const std::string& index,
                              const std::string& what);

  private:
    struct Spelling {
        enum class Form { infix, prefix, call, nothing } form = Form::call;
        std::string_view text;
        Precedence precedence = Precedence::postfix;
        std::string_view vector_text = {};  // the function's name on vectors, if it isn't `text`
    };
    Spelling spelling(const Operation& operation);
    Spelling arithmetic(Op op, Scalar scalar) const;
    Spelling fast_math(Op op) const;
    std::string_view define_math(Op op);  // lower_math.cpp; returns its name
    Spelling bits(Op op, Scalar scalar) const;
    Spelling conversion(Op op, Scalar from, Scalar to) const;
    static Expression apply(const Spelling& spelling, std::span<const Expression> given);
    void define_on_vectors(const Operation& operation, const Spelling& spelling, std::size_t operands);

    Types& types_;
    Prelude& prelude_;
    bool exact_;
    MathUses math_uses_;
};

}  // namespace muster::cuda
