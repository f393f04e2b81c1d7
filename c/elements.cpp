#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/c/elements.hpp>

namespace muster::c {
namespace {

using Kind = ElementType::Kind;
struct Row {
    std::uint32_t number;
    ElementType type;
};
constexpr std::array rows{
    Row{MUSTER_BOOL, {Kind::boolean, 1}},         Row{MUSTER_I8, {Kind::signed_integer, 1}},
    Row{MUSTER_U8, {Kind::unsigned_integer, 1}},  Row{MUSTER_I16, {Kind::signed_integer, 2}},
    Row{MUSTER_U16, {Kind::unsigned_integer, 2}}, Row{MUSTER_I32, {Kind::signed_integer, 4}},
    Row{MUSTER_U32, {Kind::unsigned_integer, 4}}, Row{MUSTER_I64, {Kind::signed_integer, 8}},
    Row{MUSTER_U64, {Kind::unsigned_integer, 8}}, Row{MUSTER_F16, {Kind::floating_point, 2}},
    Row{MUSTER_F32, {Kind::floating_point, 4}},   Row{MUSTER_F64, {Kind::floating_point, 8}},
};

}  // namespace

Answer<std::optional<ElementType>> element_of(std::uint32_t number) {
    if (number == MUSTER_BYTES) return std::nullopt;
    const auto found = std::ranges::find(rows, number, &Row::number);
    if (found != rows.end()) return found->type;
    return std::unexpected(Error{ErrorCode::invalid_argument,
                                 fmt::format("{} isn't an element type.", number),
                                 "give MUSTER_F32 or another of muster.h's",
                                 {}});
}

std::uint32_t number_of(std::optional<ElementType> element) {
    if (!element) return MUSTER_BYTES;
    const auto found = std::ranges::find(rows, *element, &Row::type);
    return found == rows.end() ? std::uint32_t{MUSTER_BYTES} : found->number;
}

}  // namespace muster::c
