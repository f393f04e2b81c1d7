// host_memory.hpp - memory of the host that buffers and tensors are made over. Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <muster/c/objects.hpp>

namespace muster::c {

/// Zeros, aligned to wrapped_alignment. Errors: out_of_memory. Precondition: `bytes` isn't 0.
Answer<std::shared_ptr<std::byte>> host_zeros(std::uint64_t bytes);

/// A buffer over memory that `owner` keeps; one without bytes is over none. Errors: those
/// of Session::buffer_over.
Answer<std::shared_ptr<BufferObject>> buffer_over(const std::shared_ptr<SessionObject>& session,
                                                  std::span<std::byte> memory,
                                                  std::optional<ElementType> element,
                                                  std::shared_ptr<const void> owner);

}  // namespace muster::c
