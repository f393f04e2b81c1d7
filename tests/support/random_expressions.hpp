// random_expressions.hpp - random expressions of every type for random programs (random_program.hpp).
//
// An expression reads the locals in scope, the inputs of random_header.hpp and the arrays and structures of each
// function's scratch; it has no subgroup operations and no barriers, so it may stand anywhere.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "support/random_program.hpp"

namespace muster::testing {

/// A part of the structure Record, with '@' for an index.
struct RecordPart {
    std::string_view suffix, type;
};
inline constexpr std::array<RecordPart, 18> record_parts{{{".a", "u32"},
                                                          {".b[@]", "f32"},
                                                          {".c[@]", "i32"},
                                                          {".d", "f16"},
                                                          {".e", "vec3<f16>"},
                                                          {".e[@]", "f16"},
                                                          {".f", "mat2x3<f32>"},
                                                          {".f[@]", "vec3<f32>"},
                                                          {".f[@][@]", "f32"},
                                                          {".g", "i8"},
                                                          {".h", "vec4<u8>"},
                                                          {".h[@]", "u8"},
                                                          {".i[@]", "i16"},
                                                          {".j", "u16"},
                                                          {".k", "u64"},
                                                          {".l", "vec3<f64>"},
                                                          {".l[@]", "f64"},
                                                          {".m[@]", "i64"}}};

class RandomExpressions {
  public:
    /// A value in scope that expressions may read.
    struct Local {
        std::string name, type;
        bool assignable = false;
    };

    static bool is_vector(std::string_view type) { return type.starts_with("vec"); }
    static bool is_matrix(std::string_view type) { return type.starts_with("mat"); }
    /// True for integers of 8 and 16 bits, and vectors of them: they are stored and converted, and no operands.
    static bool is_narrow(std::string_view type);
    static std::string scalar_of(std::string_view type);
    static std::string vector_of(char width, std::string_view scalar) {
        return fmt::format("vec{}<{}>", width, scalar);
    }

  protected:
    explicit RandomExpressions(std::uint64_t seed) : random_(seed) {}

    int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    bool chance(int percent) { return pick(100) < percent; }
    template <class T>
    std::string one_of(const T& choices) {
        return std::string(choices[static_cast<std::size_t>(pick(static_cast<int>(std::size(choices))))]);
    }
    std::string any_type();
    std::string any_number();  // the name of a scalar type
    std::string any_vector_of_numbers();
    std::string fresh(std::string_view stem) { return fmt::format("{}{}", stem, counter_++); }

    std::string literal(const std::string& type);
    RandomExpression leaf(const std::string& type);
    /// `text` with an expression of each type in `parts`.
    RandomExpression made(std::string type, std::string text, const std::vector<std::string>& parts,
                          int depth);
    RandomExpression expression(const std::string& type, int depth);
    /// The condition of a branch: often the same for all invocations of a workgroup.
    RandomExpression condition(int depth);

    /// A function of the program.
    struct Callee {
        std::string type, call;
        std::vector<std::string> parameters;
    };

    std::vector<Local> locals_;
    std::vector<Callee> functions_;
    bool in_function_ = false;

  private:
    std::string bare_literal(const std::string& type);
    RandomExpression narrow_leaf(const std::string& type);
    RandomExpression narrow_expression(const std::string& type, int depth);
    std::string any_scalar();
    RandomExpression matrix_expression(const std::string& type, int depth);
    RandomExpression vector_expression(const std::string& type, int depth);
    RandomExpression vector_source(const std::string& type, int depth);
    RandomExpression bool_expression(const std::string& type, int depth);
    RandomExpression scalar_source(const std::string& type, int depth);
    RandomExpression packed(const std::string& type, int depth);
    RandomExpression record_part(const std::string& type, int depth);
    RandomExpression integer_expression(const std::string& type, int depth);
    RandomExpression float_expression(const std::string& type, int depth);
    RandomExpression double_expression(const std::string& type, int depth);
    RandomExpression wide_source(const std::string& type, int depth);
    RandomExpression call(const std::string& type, int depth);

    std::mt19937_64 random_;
    int counter_ = 0;
};

}  // namespace muster::testing
