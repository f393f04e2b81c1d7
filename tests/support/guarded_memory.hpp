// guarded_memory.hpp - memory with a guard page behind it: a kernel that reads or writes past its end ends the
// process, and a write before its begin is detected afterwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <sys/mman.h>

namespace muster::test {

class GuardedMemory {
  public:
    explicit GuardedMemory(std::uint64_t bytes)
        : usable_((bytes + page - 1) / page * page + page), mapped_(usable_ + page) {
        void* got = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED) throw std::bad_alloc();
        start_ = static_cast<std::byte*>(got);
        if (mprotect(start_, usable_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
        data_ = start_ + (usable_ - bytes);
        std::fill(start_, start_ + usable_, untouched);
    }
    ~GuardedMemory() { munmap(start_, mapped_); }
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    /// The memory, aligned to the largest power of two (up to a page) that divides the size. Has `untouched`
    /// bytes at first.
    std::byte* data() const { return data_; }
    /// True if nothing was written before data().
    bool is_intact() const {
        return std::all_of(start_, data_, [](std::byte byte) { return byte == untouched; });
    }
    static constexpr std::byte untouched{0xa5};

  private:
    static constexpr std::uint64_t page = 4096;
    std::uint64_t usable_, mapped_;
    std::byte* start_ = nullptr;
    std::byte* data_ = nullptr;
};

}  // namespace muster::test
