// element_type.hpp - the element types of tensors, in one table, and sets of them.
//
// bool is stored as one byte, 0 or 1. All values are little-endian in memory, as in ONNX's
// raw data. Threads: pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::graph {

enum class ElementType : std::uint8_t { f32, f16, i8, u8, i32, i64, boolean };
inline constexpr std::size_t element_type_count = 7;

struct ElementTypeInfo {
    ElementType type;
    std::string_view name;
    std::uint8_t bytes;
    std::uint8_t onnx;  // TensorProto.DataType: the value of `to` in Cast and of output_dtype
};

// clang-format off
inline constexpr std::array<ElementTypeInfo, element_type_count> element_types{{
    {ElementType::f32, "f32", 4, 1},
    {ElementType::f16, "f16", 2, 10},
    {ElementType::i8, "i8", 1, 3},
    {ElementType::u8, "u8", 1, 2},
    {ElementType::i32, "i32", 4, 6},
    {ElementType::i64, "i64", 8, 7},
    {ElementType::boolean, "bool", 1, 9},
}};
// clang-format on
static_assert([] {
    for (std::size_t i = 0; i < element_types.size(); ++i) {
        if (static_cast<std::size_t>(element_types[i].type) != i) return false;
    }
    return true;
}());

constexpr const ElementTypeInfo& info(ElementType type) {
    return element_types[static_cast<std::size_t>(type)];
}
constexpr std::string_view name(ElementType type) { return info(type).name; }
constexpr std::size_t bytes_of(ElementType type) { return info(type).bytes; }
constexpr bool is_float(ElementType type) { return type == ElementType::f32 || type == ElementType::f16; }
std::optional<ElementType> element_type_by_name(std::string_view name);
/// The type that ONNX's TensorProto.DataType numbers so; none if tensors here can't have it.
std::optional<ElementType> element_type_by_onnx(std::int64_t number);

/// A set of element types, as bits in the enumeration's order.
struct ElementTypeSet {
    std::uint8_t bits = 0;
    constexpr bool contains(ElementType type) const { return bits >> static_cast<unsigned>(type) & 1u; }
    constexpr bool operator==(const ElementTypeSet&) const = default;
};
/// "f32, f16", for messages.
std::string to_string(ElementTypeSet set);

}  // namespace muster::graph
