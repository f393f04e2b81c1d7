// element_type.hpp - the element types of host arrays: WGSL's scalars, and others (such as
// f64) that no binding has.
//
//     element_type_of<float>()                   // f32
//     element_type_of<std::array<double, 4>>()   // f64
//     element_type_of<Particle>()                // none: structures and std::byte are bytes, which fit any binding
//
// Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/f16.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster {
MUSTER_API_BEGIN

struct ElementType {
    enum class Kind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating_point };

    Kind kind;
    std::uint8_t bytes;  // small, since every argument and buffer has one

    constexpr ElementType(Kind of, std::size_t size) : kind(of), bytes(static_cast<std::uint8_t>(size)) {}
    constexpr ElementType(Scalar scalar)
        : kind(kind_of(scalar)), bytes(static_cast<std::uint8_t>(info(scalar).bytes)) {}
    constexpr bool operator==(const ElementType&) const = default;

    /// The name, such as "f32", "i64" or "bool".
    std::string name() const {
        constexpr const char* letters[] = {"", "i", "u", "f"};
        if (kind == Kind::boolean) return "bool";
        return letters[static_cast<std::size_t>(kind)] + std::to_string(8 * bytes);
    }

  private:
    static constexpr Kind kind_of(Scalar scalar) {
        switch (scalar) {
            case Scalar::boolean: return Kind::boolean;
            case Scalar::i8:
            case Scalar::i16:
            case Scalar::i64:
            case Scalar::i32: return Kind::signed_integer;
            case Scalar::u8:
            case Scalar::u16:
            case Scalar::u64:
            case Scalar::u32: return Kind::unsigned_integer;
            case Scalar::f64:
            case Scalar::f32:
            case Scalar::f16: return Kind::floating_point;
        }
        return Kind::boolean;
    }
};

/// The element type of a number or an array of numbers; none for any other type.
template <class T>
constexpr std::optional<ElementType> element_type_of() {
    using Kind = ElementType::Kind;
    if constexpr (std::is_same_v<std::remove_cv_t<T>, bool>)
        return ElementType(Kind::boolean, sizeof(T));
    else if constexpr (std::is_integral_v<T>)
        return ElementType(std::is_signed_v<T> ? Kind::signed_integer : Kind::unsigned_integer, sizeof(T));
    else if constexpr (std::is_floating_point_v<T> || std::is_same_v<std::remove_cv_t<T>, f16>)
        return ElementType(Kind::floating_point, sizeof(T));
    else if constexpr (std::is_array_v<T>)
        return element_type_of<std::remove_all_extents_t<T>>();
    else if constexpr (requires {
                           typename T::value_type;
                           std::tuple_size<T>::value;
                       })
        return element_type_of<typename T::value_type>();
    else
        return std::nullopt;
}

MUSTER_API_END
}  // namespace muster
