// scratch.hpp - what one thread gives the kernels that it runs to work in (KernelFunction's scratch).
//
// Kept by the thread for the next launch, unless it is large. Threads: each has its own; one at a time per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <muster/driver/contract/backend.hpp>

namespace muster::cpu {

class Scratch {
  public:
    /// Aligned to scratch_align; its content is anything. Errors: out_of_memory.
    static Result<Scratch> of_this_thread(std::uint64_t bytes);
    std::byte* data() const { return data_; }

  private:
    explicit Scratch(std::byte* kept) : data_(kept) {}
    explicit Scratch(std::unique_ptr<Memory> own);
    std::byte* data_;
    std::unique_ptr<Memory> own_;  // let go at once; null: kept
};

}  // namespace muster::cpu
