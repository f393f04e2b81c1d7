// memory.hpp - device memory is host memory, aligned to a cache line and zeroed; large pieces by the system, page by
// page when they are first touched.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <muster/driver/contract/backend.hpp>

namespace muster::cpu {

inline constexpr std::size_t memory_align = 64;

/// Errors: out_of_memory.
Result<std::unique_ptr<Memory>> allocate_host(std::uint64_t bytes);
/// Precondition: `memory` is of this backend; the driver sees to that.
std::span<std::byte> host_bytes(const Memory& memory);

}  // namespace muster::cpu
