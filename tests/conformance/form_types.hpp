// form_types.hpp - the types of the table of forms, and WGSL's text for values of them. Internal to forms_of_*.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::conformance {

struct FormType {
    enum class Kind : std::uint8_t { scalar, vector, array, structure } kind = Kind::scalar;
    std::string name;         // "array<vec3f, 2>"
    char scalar = 'u';        // a scalar's or vector's kind: b, i, u, f
    std::uint32_t count = 1;  // components or elements
    struct Part {
        std::string name, attributes;
    };
    std::vector<Part> members = {};
    std::vector<FormType> parts = {};  // members' types; of an array: its element's

    bool is_plain() const { return kind == Kind::scalar || kind == Kind::vector; }
    /// A component's, an element's or a member's.
    FormType part(std::uint32_t which) const;
    std::uint32_t part_count() const;
    bool contains(char scalar) const;
    bool contains_vector() const;
    bool fits_uniforms() const;
    /// Its name as part of an identifier.
    std::string word() const;
    /// Declarations of its structures, inner ones first.
    std::vector<std::string> structures() const;
};

FormType scalar_type(char scalar);
FormType vector_type(char scalar, std::uint32_t width);
FormType array_of(FormType element, std::uint32_t count);
/// `members`: pairs of a name, with its attributes in front where it has some, and a type.
FormType structure_of(std::string name, std::vector<std::pair<std::string, FormType>> members);

/// Scalars, vectors, arrays, structures, and what is nested.
const std::vector<FormType>& form_types();

/// How a value is written.
enum class Constructor : std::uint8_t { zero, full, inferred, splat, subvectors, zero_parts, runtime, mixed };
std::string name_of(Constructor how);
bool is_constant(Constructor how);
/// None where the type has no such constructor. Another seed gives other values.
std::optional<std::string> value_text(const FormType& type, Constructor how, std::uint32_t seed);

/// Each scalar in it: its place behind the value's text, as ".rows[1].x", and its kind.
struct Leaf {
    std::string place;
    char scalar;
};
std::vector<Leaf> leaves(const FormType& type);
/// A scalar's bits, as a u32.
std::string bits_of(char scalar, const std::string& value);
/// A function that makes one u32 of all of a value's bits, and a call of it.
std::string hash_function(const FormType& type);
std::string hashed(const FormType& type, const std::string& value);

}  // namespace muster::conformance
