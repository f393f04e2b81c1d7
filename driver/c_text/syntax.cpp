#include <fmt/format.h>

#include <muster/driver/c_text/syntax.hpp>

namespace muster::c_text {

Syntax::Syntax(const Dialect& dialect)
    : is_cpp_(dialect.language() == Language::cpp),
      function_head_(spaced(dialect.function_mark()) + "inline") {}

// In the names of C's vectors; by scalar. c and y are signed and unsigned bytes, s and t halves of words, l
// and m integers of 64 bits.
constexpr std::string_view vector_letters = "biufhcystlmd";
static_assert(vector_letters.size() == scalar_count);

std::string_view scalar_name(Scalar scalar) {
    switch (scalar) {
        case Scalar::boolean: return "bool";
        case Scalar::i32: return "int";
        case Scalar::u32: return "unsigned";
        case Scalar::f32: return "float";
        case Scalar::f16: return "half_bits";
        case Scalar::i8: return "i8_t";
        case Scalar::u8: return "u8_t";
        case Scalar::i16: return "i16_t";
        case Scalar::u16: return "u16_t";
        case Scalar::i64: return "i64_t";
        case Scalar::u64: return "u64_t";
        case Scalar::f64: return "double";
    }
    return "";
}

bool is_vector_of_cuda(Scalar scalar) {
    return scalar != Scalar::boolean && scalar != Scalar::f16 && !is_wide(scalar);
}

std::string spaced(std::string_view qualifier) {
    return qualifier.empty() ? "" : std::string(qualifier) + " ";
}

std::string address_of(const std::string& place) {
    return place.starts_with('*') ? place.substr(1) : "&" + place;
}

std::string Syntax::vector_name(Scalar scalar, std::uint32_t width) const {
    if (width == 1) return std::string(scalar_name(scalar));
    if (!is_cpp_) return fmt::format("vec{}{}", width, vector_letters[static_cast<std::size_t>(scalar)]);
    if (is_wide(scalar) || scalar == Scalar::f16) return fmt::format("{}x{}", info(scalar).name, width);
    const std::string_view base = scalar == Scalar::u32   ? "uint"
                                  : scalar == Scalar::u16 ? "ushort"
                                  : scalar == Scalar::i16 ? "short"
                                  : scalar == Scalar::i8  ? "char"
                                  : scalar == Scalar::u8  ? "uchar"
                                                          : scalar_name(scalar);
    return fmt::format("{}{}", base, width);
}

Expression Syntax::cast(std::string_view type, const Expression& value) const {
    if (is_cpp_) return {fmt::format("{}({})", type, value.text)};
    return {fmt::format("({}){}", type, parenthesised(value, Precedence::prefix)), Precedence::prefix};
}

std::string Syntax::braced(std::string_view type, std::string_view parts) const {
    return is_cpp_ ? fmt::format("{}{{{}}}", type, parts) : fmt::format("({}){{{}}}", type, parts);
}

std::string Syntax::element(std::string_view array, std::string_view index) const {
    return is_cpp_ ? fmt::format("{}[{}]", array, index) : fmt::format("{}.elements[{}]", array, index);
}

std::string Syntax::overload(std::string_view function, std::string_view type) const {
    return is_cpp_ ? std::string(function) : fmt::format("{}_{}", function, type);
}

std::string Syntax::changed_parameter(std::string_view type) const {
    return fmt::format("{}{} to", type, is_cpp_ ? "&" : "*");
}

std::string Syntax::changed_argument(const std::string& place) const {
    return is_cpp_ ? place : address_of(place);
}

std::string Syntax::aligned(std::uint32_t bytes) const {
    return is_cpp_ ? fmt::format("alignas({})", bytes) : fmt::format("__attribute__((aligned({})))", bytes);
}

Expression Syntax::pointer_cast(std::string_view type, const Expression& pointer) const {
    return is_cpp_ ? Expression{fmt::format("reinterpret_cast<{}>({})", type, pointer.text)}
                   : cast(type, pointer);
}

}  // namespace muster::c_text
