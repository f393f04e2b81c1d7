// scratch.hpp - working memory for the kernels that a thread runs (KernelFunction's scratch).
//
// Each thread keeps its scratch for the next launch, unless it is large. Threads: any; at most one Scratch
// per thread is in use at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <muster/driver/contract/backend.hpp>

namespace muster::cpu {

class Scratch {
  public:
    /// Aligned to scratch_align, with arbitrary content. Errors: out_of_memory.
    static Result<Scratch> of_this_thread(std::uint64_t bytes);
    std::byte* data() const { return data_; }

  private:
    explicit Scratch(std::byte* kept) : data_(kept) {}
    explicit Scratch(std::unique_ptr<Memory> own);
    std::byte* data_;
    std::unique_ptr<Memory> own_;  // freed with this object; null: the thread keeps the memory
};

}  // namespace muster::cpu
