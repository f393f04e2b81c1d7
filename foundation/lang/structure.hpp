// structure.hpp - structures, declared as plain C++ structs with WGSL's host-shareable layout.
//
//     struct Particle {
//         Field<vec3<f32>> position;                           // at byte 0
//         Field<f32> mass;                                     // at byte 12
//         Field<vec4<f32>, Align<32>, Size<64>> colour;        // WGSL's @align(32) @size(64)
//         auto momentum() const { return mass * position; }    // functions record like any other C++
//     };
//
// A structure has 1 to 32 Fields, which become WGSL's members, and no base. The device's structure and
// members have the C++ names. Any object of type Particle has its members, particles[i].mass += 1.0f, and
// binds to a `const Particle&` of a C++ function (object.hpp, composite.hpp). Source of the layout: WGSL
// section "Alignment and Size".
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include <muster/foundation/lang/element.hpp>
#include <muster/foundation/lang/fields.hpp>

namespace muster::lang {

/// The member starts at a multiple of `bytes`, a power of two.
template <std::uint32_t bytes>
struct Align {};
/// The member takes `bytes`, including the padding after it.
template <std::uint64_t bytes>
struct Size {};
template <class T, class... Attributes>
class Field;

namespace detail {

template <class Attribute>
struct AttributeOf {
    static_assert(never<Attribute>, "a Field's attributes are Align<bytes> and Size<bytes>");
};
template <std::uint32_t bytes>
struct AttributeOf<Align<bytes>> {
    static constexpr std::uint32_t align = bytes, size = 0;
};
template <std::uint64_t bytes>
struct AttributeOf<Size<bytes>> {
    static constexpr std::uint32_t align = 0;
    static constexpr std::uint64_t size = bytes;
};

template <class F>
struct FieldOf {
    static constexpr bool is_field = false;
    using type = u32;  // a valid type, so that the only error is that this isn't a Field
};
template <class T, class... Attributes>
struct FieldOf<Field<T, Attributes...>> {
    static constexpr bool is_field = true;
    using type = T;
    static constexpr std::uint32_t given_align = (0u + ... + AttributeOf<Attributes>::align);
    static constexpr std::uint64_t given_size = (std::uint64_t{0} + ... + AttributeOf<Attributes>::size);
    static constexpr std::uint64_t align = given_align != 0 ? given_align : Element<T>::align;
    static constexpr std::uint64_t size = given_size != 0 ? given_size : Element<T>::size;
    static_assert(std::has_single_bit(align) && align % Element<T>::align == 0,
                  "a Field's Align is a power of two, and no less than its type's own alignment");
    static_assert(size >= Element<T>::size, "a Field's Size is no less than its type's own size");
    static_assert(given_size == 0 || Element<T>::is_sized, "a Field that is sized at run time has no Size");
};

template <class T>
consteval bool has_fields() {
    if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_empty_v<T>) {
        if constexpr (field_count<T>() > 0 && field_count<T>() <= max_fields)
            return []<class... F>(std::type_identity<std::tuple<F*...>>) {
                return (FieldOf<F>::is_field || ...);
            }(std::type_identity<Fields<T>>{});
        return field_count<T>() > max_fields;
    }
    return false;
}

template <class T, class = Fields<T>>
struct StructureElement;
template <class T, class... F>
struct StructureElement<T, std::tuple<F*...>> : NoElement {
    static_assert((FieldOf<F>::is_field && ...), "each field of a structure is a Field<...>");

    static constexpr bool is_structure = true;
    static constexpr bool is_constructible = (Element<typename FieldOf<F>::type>::is_constructible && ...);
    static constexpr bool is_sized = (Element<typename FieldOf<F>::type>::is_sized && ...);
    static constexpr bool holds_bool = (Element<typename FieldOf<F>::type>::holds_bool || ...);
    static constexpr bool holds_atomic = (Element<typename FieldOf<F>::type>::holds_atomic || ...);
    static constexpr std::uint64_t align = std::max({FieldOf<F>::align...});
    static constexpr std::uint64_t size = [] {
        std::uint64_t end = 0;
        ((end = round_up(end, FieldOf<F>::align) + FieldOf<F>::size), ...);
        return round_up(end, align);
    }();

    static TypeId type(IrBuilder& ir) {
        const std::array types{Element<typename FieldOf<F>::type>::type(ir)...};
        const std::array declared = [&]<std::size_t... k>(std::index_sequence<k...>) {
            return std::array{MemberDeclaration{std::string(field_name<T, k>()), types[k],
                                                FieldOf<F>::given_align, FieldOf<F>::given_size}...};
        }
        (std::index_sequence_for<F...>{});
        return ir.types().structure(std::string(type_name<T>()), declared);
    }

  private:
    // True if a member that is sized at run time is an array, and the last member.
    static consteval bool ends_well() {
        constexpr std::array sized{Element<typename FieldOf<F>::type>::is_sized...};
        constexpr std::array structures{Element<typename FieldOf<F>::type>::is_structure...};
        for (std::size_t k = 0; k < sized.size(); ++k)
            if (!sized[k] && (structures[k] || k + 1 < sized.size())) return false;
        return true;
    }
    static_assert(ends_well(), "an array sized at run time is the last member of the outermost structure");
};

template <class T>
requires(has_fields<T>()) struct Element<T> : StructureElement<T> {
};

}  // namespace detail

/// The number of bytes that a T takes in memory, including padding; a host's structure must match it. If T is
/// or ends in an array sized at run time, without that array's elements.
template <class T>
inline constexpr std::uint64_t byte_size = detail::Element<T>::size;

}  // namespace muster::lang
