// memory.hpp - device memory is host memory, zeroed and aligned to a cache line. The system zeroes large
// allocations, page by page, on first touch.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <muster/driver/contract/backend.hpp>

namespace muster::cpu {

inline constexpr std::size_t memory_align = 64;

/// Errors: out_of_memory.
Result<std::unique_ptr<Memory>> allocate_host(std::uint64_t bytes);
/// Memory of the caller's, which isn't freed.
std::unique_ptr<Memory> wrap_host(std::span<std::byte> host);
/// Precondition: `memory` belongs to this backend; the driver ensures that.
std::span<std::byte> host_bytes(const Memory& memory);

}  // namespace muster::cpu
