// memory.hpp - device memory is host memory, zeroed by the system when it is first touched.
#pragma once

#include <cstddef>
#include <span>

#include <muster/driver/contract/backend.hpp>

namespace muster::reference {

/// Errors: out_of_memory.
Result<std::unique_ptr<Memory>> allocate_host(std::uint64_t bytes);
/// Precondition: `memory` is of this backend; the driver sees to that.
std::span<std::byte> host_bytes(const Memory& memory);

}  // namespace muster::reference
