// components.hpp - the scalars and components of vectors in an interpreter's words. Internal.
#pragma once

#include <cstdint>
#include <type_traits>

#include <muster/foundation/semantics/scalar_operations.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::interpreter {

/// Component `k` of a value of T that begins at `from`, and its assignment.
template <class T, bool flush>
T operand(const std::uint32_t* from, unsigned k) {
    if constexpr (sizeof(T) == 8)
        return scalar_operations::from_word<T>(from[2 * k] | std::uint64_t{from[2 * k + 1]} << 32);
    else {
        const T x = scalar_operations::from_word<T>(from[k]);
        if constexpr (flush && std::is_same_v<T, float>) return semantics::flush(x);
        return x;
    }
}
template <bool flush, class T>
void assign(std::uint32_t* to, unsigned k, T x) {
    if constexpr (sizeof(T) == 8) {
        const std::uint64_t word = scalar_operations::to_word(x);
        to[2 * k] = static_cast<std::uint32_t>(word);
        to[2 * k + 1] = static_cast<std::uint32_t>(word >> 32);
    } else if constexpr (flush && std::is_same_v<T, float>) {
        to[k] = scalar_operations::to_word(semantics::flush(x));
    } else {
        to[k] = scalar_operations::to_word(x);
    }
}

}  // namespace muster::interpreter
