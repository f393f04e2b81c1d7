// recycling.hpp - an allocator for objects that come and go one by one: what is let go is used for the next.
//
//     RecyclingAllocator<Job> jobs;
//     auto job = std::allocate_shared<Job>(jobs, ...);   // allocates where there are more of them at once than ever
//
// Copies share what is kept, which the last of them frees; an object keeps a copy. Threads: any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace muster {

/// Pieces of memory of one size.
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
    /// By as many as there are, so that who always has some more or fewer of them stops allocating soon.
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

    /// One at a time, and always of the same T but for what std::allocate_shared puts beside it.
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
