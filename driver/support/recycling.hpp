// recycling.hpp - an allocator for objects that come and go one by one: freed memory is kept for the next object.
//
//     RecyclingAllocator<Job> jobs;
//     auto job = std::allocate_shared<Job>(jobs, ...);   // allocates only if more are alive than ever before
//
// Copies of an allocator share the kept memory, which the last copy frees; an object keeps a copy. Threads: any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include <muster/foundation/base/api.hpp>

namespace MUSTER_API muster {

/// A pool of equally sized memory blocks.
class RecycledPieces {
  public:
    RecycledPieces() = default;
    RecycledPieces(const RecycledPieces&) = delete;
    RecycledPieces& operator=(const RecycledPieces&) = delete;
    ~RecycledPieces() {
        for (void* const piece : unused_) ::operator delete(piece);
    }

    void* take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        if (unused_.empty()) grow(bytes);
        void* const piece = unused_.back();
        unused_.pop_back();
        return piece;
    }
    void give(void* piece) noexcept {
        const std::lock_guard lock(mutex_);
        unused_.push_back(piece);
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
    RecyclingAllocator() : pieces_(std::make_shared<RecycledPieces>()) {}
    template <class Other>
    RecyclingAllocator(const RecyclingAllocator<Other>& other) : pieces_(other.pieces()) {}

    /// Allocates one object. All allocations must have the same size: use it for one T, with std::allocate_shared.
    T* allocate(std::size_t) {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        return static_cast<T*>(pieces_->take(sizeof(T)));
    }
    void deallocate(T* piece, std::size_t) noexcept { pieces_->give(piece); }

    const std::shared_ptr<RecycledPieces>& pieces() const { return pieces_; }
    template <class Other>
    bool operator==(const RecyclingAllocator<Other>& other) const {
        return pieces_ == other.pieces();
    }

  private:
    std::shared_ptr<RecycledPieces> pieces_;
};

}  // namespace muster
