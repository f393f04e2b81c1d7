// argument.hpp - the arguments of a dispatch: buffers and values, each bound by name or by group and binding.
//
//     session.dispatch(kernel, {{"a", 2.0f}, {"x", x}, {{0, 2}, BufferRange{y, 256}}}, Invocations{n});
//
// A value is copied at the call. A number, or an array's elements (std::array<float, 4>), must have
// the binding's scalar type; a structure is taken as bytes. A value has WGSL's layout and exactly
// the binding's size. Values can be bound to uniforms and to storage that the kernel only reads.
// Errors: Session::dispatch's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <muster/driver/device/buffer.hpp>
#include <muster/driver/support/inline_vector.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

struct GroupBinding {
    std::uint32_t group = 0, binding = 0;
    constexpr bool operator==(const GroupBinding&) const = default;
};

/// The bytes of a value; `element` is set for a number or an array.
struct ArgumentValue {
    InlineVector<std::byte, 64> bytes;  // aligned to 4, as BoundMemory::value asks
    std::optional<ElementType> element;
};

template <class T>
inline constexpr bool has_fixed_count = requires {
    std::tuple_size<T>::value;
};
template <class T>
inline constexpr bool views_elements = !has_fixed_count<T> && requires(const T& value) {
    value.data();
    value.size();
};
/// True for types that only refer to their elements, like std::span and std::vector: their
/// own bytes aren't a value.
template <class T>
concept NonOwning = std::is_pointer_v<T> || views_elements<T>;
template <class T>
concept BindableValue = std::is_trivially_copyable_v<T> && !NonOwning<T> && !std::is_same_v<T, bool>;

struct Argument {
    std::variant<std::string, GroupBinding> where;
    std::variant<BufferRange, ArgumentValue> what;

    template <class Where, class What>
    requires(std::is_convertible_v<Where, std::string_view> || std::is_same_v<Where, GroupBinding>)
        Argument(Where&& at, What&& value)
        : where(place(at)), what(content(value)) {}
    template <class What>
    Argument(GroupBinding at, What&& value) : where(at), what(content(value)) {}

  private:
    static std::variant<std::string, GroupBinding> place(std::string_view name) { return std::string(name); }
    static std::variant<std::string, GroupBinding> place(GroupBinding at) { return at; }
    static BufferRange content(const Buffer& buffer) { return {buffer}; }
    static BufferRange content(const BufferRange& range) { return range; }
    static ArgumentValue content(const ArgumentValue& value) { return value; }
    template <NonOwning T>
    static ArgumentValue content(const T&) {
        static_assert(
            !NonOwning<T>,
            "an argument that only refers to its elements: make a Buffer of them (Session::buffer)");
        return {};
    }
    template <BindableValue T>
    static ArgumentValue content(const T& value) {
        return {InlineVector<std::byte, 64>(std::as_bytes(std::span(&value, 1))), element_type_of<T>()};
    }
};

MUSTER_API_END
}  // namespace muster
