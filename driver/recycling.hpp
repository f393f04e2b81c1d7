// recycling.hpp - an allocator for objects that come and go one by one: what is let go is used for the next.
//
//     RecyclingAllocator<Job> jobs;
//     auto job = std::allocate_shared<Job>(jobs, ...);   // allocates as often as there are jobs at once
//
// Copies share what is kept, which the last of them frees; an object keeps a copy. Threads: any.
#pragma once

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
        if (!unused_.empty()) {
            void* const piece = unused_.back();
            unused_.pop_back();
            return piece;
        }
        unused_.reserve(++made_);  // so that all of them can come back without an allocation
        return ::operator new(bytes);
    }
    void give(void* piece) noexcept {
        const std::lock_guard lock(mutex_);
        unused_.push_back(piece);
    }

  private:
    std::mutex mutex_;
    std::vector<void*> unused_;
    std::size_t made_ = 0;
};

template <class T>
class RecyclingAllocator {
  public:
    using value_type = T;
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

    RecyclingAllocator() : pieces_(std::make_shared<RecycledPieces>()) {}
    template <class Other>
    RecyclingAllocator(const RecyclingAllocator<Other>& other) : pieces_(other.pieces()) {}

    /// One at a time, and always of the same T but for what std::allocate_shared puts beside it.
    T* allocate(std::size_t) { return static_cast<T*>(pieces_->take(sizeof(T))); }
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
