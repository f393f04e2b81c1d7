// values.hpp - buffers for the values that dispatches pass, in memory that the host writes and the device
// reads; also for the report of kernels with watched loops.
//
// A dispatch may bind the same uniform to a buffer or to a value, so to the kernel both are buffers. A
// value's buffer belongs to its launch and is reused when that has ended, the most recent first, so that
// recurring launches get the same buffers, descriptors and commands. Threads: one at a time; the queue
// (launch.hpp) ensures that.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <muster/backend-vulkan/device/memory.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/support/inline_vector.hpp>
#include <muster/driver/support/sized_pool.hpp>

namespace muster::vulkan {

class Values {
  public:
    /// staged: use the host's memory as if the device had its own, for tests.
    Values(const LogicalDevice& device, Timeline& timeline, bool staged);

    using ValueBuffers = InlineVector<SizedPool<PooledMemory>::Lease, 2>;

    /// Copies the bindings of a launch to `placed`, with a buffer for each value; `buffers` owns these
    /// buffers. Errors: out_of_memory.
    Result<void> place(std::span<const BoundMemory> bound, InlineVector<BoundMemory, 8>& placed,
                       ValueBuffers& buffers);
    /// Appends a binding for the kernel's report: a u32 that is 0. Its buffer is the last of `buffers`.
    Result<void> place_report(InlineVector<BoundMemory, 8>& placed, ValueBuffers& buffers);

  private:
    Result<void> place(const BoundMemory& value, BoundMemory& placed, ValueBuffers& buffers);

    Pool pool_;
    SizedPool<PooledMemory> values_{Pool::part_align};
};

}  // namespace muster::vulkan
