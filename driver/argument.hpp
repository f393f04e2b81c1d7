// argument.hpp - what a dispatch gives a kernel: buffers, and values for uniforms, by name or by group and
// binding.
//
//     session.dispatch(kernel, {{"a", 2.0f}, {"x", x}, {{0, 2}, BufferRange{y, 256}}}, Invocations{n});
//
// A value is copied at the call. A scalar's type must be the binding's; an array (std::array<float, 4>) or a
// structure is taken as bytes in WGSL's layout, of the binding's size exactly. Values fit uniforms and
// storage that the kernel only reads. Errors: those of bind_arguments (binding.hpp), at dispatch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <muster/driver/buffer.hpp>
#include <muster/driver/inline_vector.hpp>

namespace muster {

struct GroupBinding {
    std::uint32_t group = 0, binding = 0;
    constexpr bool operator==(const GroupBinding&) const = default;
};

/// Bytes of a value; `scalar` where it is made of one kind.
struct ArgumentValue {
    InlineVector<std::byte, 64> bytes;  // aligned to 4, as BoundMemory::value asks
    std::optional<Scalar> scalar;
};

template <class T>
concept BindableValue = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_same_v<T, bool>;

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
    template <BindableValue T>
    static ArgumentValue content(const T& value) {
        return {InlineVector<std::byte, 64>(std::as_bytes(std::span(&value, 1))), scalar_of<T>()};
    }
};

}  // namespace muster
