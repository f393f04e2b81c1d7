// syntax.hpp - what C and C++ with CUDA's vectors write differently. Threads: pure.
#pragma once

#include <string>
#include <string_view>

#include <muster/driver/c_text/dialect.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::c_text {

/// The names of a vector's components.
inline constexpr std::string_view components = "xyzw";

class Syntax {
  public:
    explicit Syntax(const Dialect& dialect);

    bool is_cpp() const { return is_cpp_; }
    /// "static inline": what begins a function of the prelude.
    const std::string& function_head() const { return function_head_; }
    /// "float3" or "vec3f"; of width 1: "float". Those that aren't CUDA's: "f64x3".
    std::string vector_name(Scalar scalar, std::uint32_t width) const;
    /// "int(a)" or "(int)a".
    Expression cast(std::string_view type, const Expression& value) const;
    /// "S{a, b}" or "(S){a, b}".
    std::string braced(std::string_view type, std::string_view parts) const;
    /// "a[i]" or "a.elements[i]".
    std::string element(std::string_view array, std::string_view index) const;
    /// Name of a function for this type: an overload, or "pick_vec3f".
    std::string overload(std::string_view function, std::string_view type) const;
    /// The parameter `to` that a function changes: "T& to" or "T* to".
    std::string changed_parameter(std::string_view type) const;
    /// The text before a member of it: "to." or "to->".
    std::string changed_member() const { return is_cpp_ ? "to." : "to->"; }
    /// The argument for such a parameter: "x" or "&x".
    std::string changed_argument(const std::string& place) const;
    /// "alignas(16)" or "__attribute__((aligned(16)))".
    std::string aligned(std::uint32_t bytes) const;
    /// Text of a pointer conversion; `type` has qualifiers and asterisk.
    Expression pointer_cast(std::string_view type, const Expression& pointer) const;

  private:
    bool is_cpp_;
    std::string function_head_;
};

std::string_view scalar_name(Scalar scalar);
/// True if CUDA has the vectors: none of bool, those of four 64-bit numbers have another alignment, and a u16
/// and an f16, which is its bits, would have the same.
bool is_vector_of_cuda(Scalar scalar);
/// A qualifier with the space that separates it from what follows, if there is one.
std::string spaced(std::string_view qualifier);
/// "x" for "*x", otherwise "&x".
std::string address_of(const std::string& place);

}  // namespace muster::c_text
