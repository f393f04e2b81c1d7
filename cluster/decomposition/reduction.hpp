// reduction.hpp - operations by which ranks combine words that several of them change by atomics.
//
// Threads: pure.
#pragma once

#include <cstdint>
#include <string_view>

#include <muster/foundation/ir/type.hpp>

namespace muster::cluster {

enum class ReductionOp : std::uint8_t { add, min, max, bit_and, bit_or, bit_xor };
std::string_view name(ReductionOp op);

/// The word that changes nothing when it is combined. `type`: i32 or u32.
std::uint32_t identity(ReductionOp op, Scalar type);
std::uint32_t combine(ReductionOp op, Scalar type, std::uint32_t a, std::uint32_t b);

}  // namespace muster::cluster
