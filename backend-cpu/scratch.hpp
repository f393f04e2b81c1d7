// scratch.hpp - what one thread gives the kernels that it runs to work in (KernelFunction's scratch).
//
// Kept by the thread for the next launch, unless it is large. Threads: each has its own; one at a time per thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include <muster/foundation/result.hpp>

namespace muster::cpu {

class Scratch {
  public:
    /// Aligned to scratch_align; its content is anything. Errors: out_of_memory.
    static Result<Scratch> of_this_thread(std::uint64_t bytes);
    Scratch(Scratch&& other) noexcept : data_(other.data_), owned_(other.owned_) { other.owned_ = false; }
    Scratch& operator=(Scratch&&) = delete;
    ~Scratch();
    std::byte* data() const { return data_; }

  private:
    Scratch(std::byte* data, bool owned) : data_(data), owned_(owned) {}
    std::byte* data_;
    bool owned_;  // freed when let go
};

}  // namespace muster::cpu
