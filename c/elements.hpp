// elements.hpp - the types of elements, by the numbers of MUSTER_F32 and so on. Threads: pure.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/c/answer.hpp>
#include <muster/driver/contract/element_type.hpp>

namespace muster::c {

/// None for MUSTER_BYTES. Errors: invalid_argument (no such number).
Answer<std::optional<ElementType>> element_of(std::uint32_t number);
/// MUSTER_BYTES for a type that has no number.
std::uint32_t number_of(std::optional<ElementType> element);

}  // namespace muster::c
