// recycling.hpp - an allocator for objects that come and go one by one: freed memory is
// kept for the next object.
//
//     RecyclingAllocator<Job> jobs;
//     auto job = std::allocate_shared<Job>(jobs, ...);   // allocates only if more are alive than ever before
//
// Copies of an allocator share the kept memory, which the last copy frees; an object
// keeps a copy. Threads: any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A pool of equally sized memory blocks.
class BlockPool {
  public:
    BlockPool() = default;
    BlockPool(const BlockPool&) = delete;
    BlockPool& operator=(const BlockPool&) = delete;
    ~BlockPool() {
        for (void* const block : unused_) ::operator delete(block);
    }

    void* take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        if (unused_.empty()) grow(bytes);
        void* const block = unused_.back();
        unused_.pop_back();
        return block;
    }
    void give(void* block) noexcept {
        const std::lock_guard lock(mutex_);
        unused_.push_back(block);
    }

  private:
    /// Doubles the number of blocks, so that a user whose number of objects varies soon stops allocating.
    void grow(std::size_t bytes) {
        const std::size_t more = std::max<std::size_t>(made_, 16);
        unused_.reserve(made_ + more);  // so that all of them can come back without an allocation
        for (std::size_t i = 0; i < more; ++i, ++made_) unused_.push_back(::operator new(bytes));
    }

    std::mutex mutex_;
    std::vector<void*> unused_;
    std::size_t made_ = 0;
};

template <class T>
class RecyclingAllocator {
  public:
    using value_type = T;
    RecyclingAllocator() : pool_(std::make_shared<BlockPool>()) {}
    template <class Other>
    RecyclingAllocator(const RecyclingAllocator<Other>& other) : pool_(other.pool()) {}

    /// Allocates one object. All allocations must have the same size: use it for one T,
    /// with std::allocate_shared.
    T* allocate(std::size_t) {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        return static_cast<T*>(pool_->take(sizeof(T)));
    }
    void deallocate(T* block, std::size_t) noexcept { pool_->give(block); }

    const std::shared_ptr<BlockPool>& pool() const { return pool_; }
    template <class Other>
    bool operator==(const RecyclingAllocator<Other>& other) const {
        return pool_ == other.pool();
    }

  private:
    std::shared_ptr<BlockPool> pool_;
};

MUSTER_API_END
}  // namespace muster
