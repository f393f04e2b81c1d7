// values.hpp - values given by a dispatch that are too large for a launch's parameters.
//
// Each value is copied, in the order of the launches, from a pinned host buffer to a device buffer. The pair
// belongs to its launch, and is reused when the launch has ended. Threads: one at a time; the queue
// (launch.hpp) ensures it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <muster/backend-cuda/device/memory.hpp>
#include <muster/driver/support/sized_pool.hpp>

namespace muster::cuda {

class Values {
  public:
    Values(const Context& context, Transfer& transfer) : context_(context), transfer_(transfer) {}

    struct Memory {
        UniqueHostMemory host;
        std::unique_ptr<DeviceMemory> device;
    };
    using ValueBuffer = SizedPool<Memory>::Lease;

    /// Takes a pair and writes the value to its host buffer. Precondition: the context is entered. Errors:
    /// out_of_memory, device_lost.
    Result<ValueBuffer> place(std::span<const std::byte> value);
    /// Starts the copy to the pair's device buffer. Precondition and errors as above.
    Result<void> copy(const ValueBuffer& buffer, std::size_t bytes, CUstream stream);

  private:
    const Context& context_;
    Transfer& transfer_;
    SizedPool<Memory> pool_{1024};
};

}  // namespace muster::cuda
