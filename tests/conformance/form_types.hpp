// form_types.hpp - the types of the table of forms, and WGSL text for their values. Internal to forms_of_*.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::conformance {

struct FormType {
    enum class Kind : std::uint8_t { scalar, vector, array, structure } kind = Kind::scalar;
    std::string name;         // "array<vec3f, 2>"
    char scalar = 'u';        // a scalar's or vector's kind: b, i, u, f, h; c, y, s, t: i8, u8, i16, u16
    std::uint32_t count = 1;  // components or elements
    struct Part {
        std::string name, attributes;
    };
    std::vector<Part> members = {};
    std::vector<FormType> parts = {};  // the members' types; for an array: its element's

    bool is_matrix() const { return kind == Kind::array && name.starts_with("mat"); }
    bool is_plain() const { return kind == Kind::scalar || kind == Kind::vector; }
    /// The type of a component, an element or a member.
    FormType part(std::uint32_t which) const;
    std::uint32_t part_count() const;
    bool contains(char scalar) const;
    bool contains_vector() const;
    /// The type's name as part of an identifier.
    std::string word() const;
    /// The declarations of the type's structures, inner ones first.
    std::vector<std::string> structures() const;
};

FormType scalar_type(char scalar);
FormType vector_type(char scalar, std::uint32_t width);
/// True for the integers of 8 and 16 bits, which no operator takes.
bool is_narrow(char scalar);
/// The value as operators take it: i32(x) of a small integer.
std::string computed_with(const FormType& type, const std::string& value);
FormType array_of(FormType element, std::uint32_t count);
/// Written as the array of its columns, but for its name.
FormType matrix_type(std::uint32_t columns, std::uint32_t rows, char scalar = 'f');
/// A structure type. `members`: pairs of a name, after its attributes if it has any, and a type.
FormType structure_of(std::string name, std::vector<std::pair<std::string, FormType>> members);

/// Scalars, vectors, arrays, structures, and nested types.
const std::vector<FormType>& form_types();

/// The ways to write a value.
enum class Constructor : std::uint8_t { zero, full, inferred, splat, subvectors, zero_parts, runtime, mixed };
std::string name_of(Constructor how);
bool is_constant(Constructor how);
/// The text of a value, or nothing if the type has no such constructor. Another seed gives other values.
std::optional<std::string> value_text(const FormType& type, Constructor how, std::uint32_t seed);

/// A scalar within a value: its path after the value's text, such as ".rows[1].x", and its kind.
struct Leaf {
    std::string place;
    char scalar;
};
std::vector<Leaf> leaves(const FormType& type);
/// An expression for a scalar's bits, as a u32.
std::string bits_of(char scalar, const std::string& value);
/// A function that hashes all of a value's bits into one u32, and a call of it.
std::string hash_function(const FormType& type);
std::string hashed(const FormType& type, const std::string& value);

}  // namespace muster::conformance
