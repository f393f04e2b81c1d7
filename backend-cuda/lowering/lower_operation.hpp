// lower_operation.hpp - one operation on values, scalar by scalar and on vectors alike.
//
// A scalar operation is an operator, or a function of the prelude or of CUDA's. On vectors it is the same, overloaded, and
// the overload is put into the prelude.
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
    TypeId of, result;  // of the first operand, of what it yields
    /// The second operand, where it is a scalar constant: shifts and divisions by it may be CUDA's own.
    std::optional<std::uint32_t> constant = {};
};

/// By operation of the math group: how many scalars a program computes with it.
using MathUses = std::array<std::uint32_t, op_count>;
MathUses count_math_uses(const Program& program);

class Operations {
  public:
    Operations(Types& types, Prelude& prelude, bool exact, const MathUses& math_uses)
        : types_(types), prelude_(prelude), exact_(exact), math_uses_(math_uses) {}

    /// Componentwise ones: the groups exact and math but for composites.
    Expression componentwise(const Operation& operation, std::span<const Expression> given);
    Expression all_or_any(Op op, TypeId of, const Expression& given);
    /// By one bool, of any type.
    static Expression select(const Expression& if_false, const Expression& if_true,
                             const Expression& condition);
    /// By each component of a bool vector.
    Expression select_each(TypeId type, std::span<const Expression> given);
    Expression splat(TypeId type, const Expression& given);
    /// A vector's component; zero where there is none.
    Expression pick(TypeId of, const Expression& vector, const Expression& index);
    /// A reference to it in memory. Precondition of the text: it is there.
    Expression component(TypeId of, const Expression& vector, const std::string& index);
    /// Assigns to it, in a local; nothing where there is none.
    std::string set_component(TypeId of, const std::string& vector, const std::string& index,
                              const std::string& what);

  private:
    struct Spelling {
        enum class Form { infix, prefix, call, nothing } form = Form::call;
        std::string_view text;
        Binds binds = Binds::postfix;
        std::string_view vector_text = {};  // of a call, where it isn't `text`
    };
    Spelling spelling(const Operation& operation);
    Spelling arithmetic(Op op, Scalar scalar) const;
    Spelling fast_math(Op op) const;
    std::string_view define_math(Op op);  // lower_math.cpp: its name
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
