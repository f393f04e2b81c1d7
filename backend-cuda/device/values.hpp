// values.hpp - values given by a dispatch that are too large for a launch's parameters.
//
// Each value is copied, in the order of the launches, from a pinned host buffer to a device buffer. The pair
// belongs to its launch, and is reused when the launch has ended. Threads: one at a time; the queue (launch.hpp)
// ensures it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <muster/backend-cuda/device/memory.hpp>

namespace muster::cuda {

class Values {
  public:
    Values(const Context& context, Transfer& transfer) : context_(context), transfer_(transfer) {}

    struct Memory {
        UniqueHostMemory host;
        std::unique_ptr<DeviceMemory> device;
    };
    /// A pair of buffers in use; the destructor returns it for reuse.
    class ValueBuffer {
      public:
        ValueBuffer(Values& home, std::unique_ptr<Memory> memory)
            : home_(&home), memory_(std::move(memory)) {}
        ValueBuffer(ValueBuffer&&) noexcept = default;
        ~ValueBuffer() {
            if (memory_) home_->give(std::move(memory_));
        }
        const Memory& memory() const { return *memory_; }

      private:
        Values* home_;
        std::unique_ptr<Memory> memory_;
    };

    /// Takes a pair and writes the value to its host buffer. Precondition: the context is entered. Errors:
    /// out_of_memory, device_lost.
    Result<ValueBuffer> place(std::span<const std::byte> value);
    /// Starts the copy to the pair's device buffer. Precondition and errors as above.
    Result<void> copy(const ValueBuffer& buffer, std::size_t bytes, CUstream stream);

  private:
    struct Unused {  // unused buffers of one size
        std::uint64_t bytes = 0, made = 0;
        std::vector<std::unique_ptr<Memory>> buffers;
    };
    Unused& of_size(std::uint64_t bytes);
    void give(std::unique_ptr<Memory> buffer) noexcept;

    const Context& context_;
    Transfer& transfer_;
    std::vector<Unused> unused_;  // one entry per size; there are few
};

}  // namespace muster::cuda
