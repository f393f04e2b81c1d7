// memory.hpp - device memory is host memory; the system zeroes it on first touch.
#pragma once

#include <cstddef>
#include <span>

#include <muster/driver/contract/backend.hpp>

namespace muster::reference {

/// Errors: out_of_memory.
Result<std::unique_ptr<Memory>> allocate_host(std::uint64_t bytes);
/// Memory of the caller's, which isn't freed.
std::unique_ptr<Memory> wrap_host(std::span<std::byte> host);
/// Precondition: `memory` belongs to this backend; the driver ensures that.
std::span<std::byte> host_bytes(const Memory& memory);

}  // namespace muster::reference
