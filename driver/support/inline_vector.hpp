// inline_vector.hpp - a vector whose first N elements need no allocation, for lists that are nearly always
// short, on paths where an allocation matters.
//
//     InlineVector<BoundMemory, 8> memory;
//     memory.push_back({...});                    // the ninth allocates
//
// Its elements are contiguous, so it converts to std::span. Unlike with std::vector, moving the vector
// invalidates pointers to elements that are stored inline. Throws std::bad_alloc, nothing else of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

template <class T, std::size_t N>
class InlineVector {
    static_assert(N > 0 && std::is_nothrow_move_constructible_v<T>);

  public:
    using value_type = T;
    InlineVector() {}  // not = default, so that value-initialisation doesn't zero the inline bytes
    InlineVector(std::size_t count, const T& value) {
        reserve(count);
        std::uninitialized_fill_n(data_, count, value);
        size_ = count;
    }
    explicit InlineVector(std::span<const T> from) {
        reserve(from.size());
        std::uninitialized_copy(from.begin(), from.end(), data_);
        size_ = from.size();
    }
    InlineVector(const InlineVector& other) : InlineVector(std::span<const T>(other)) {}
    InlineVector(InlineVector&& other) noexcept { take(other); }
    InlineVector& operator=(InlineVector other) noexcept {
        release();
        take(other);
        return *this;
    }
    ~InlineVector() { release(); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t capacity() const { return capacity_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](std::size_t which) { return data_[which]; }
    const T& operator[](std::size_t which) const { return data_[which]; }
    T& front() { return *data_; }
    T& back() { return data_[size_ - 1]; }

    void reserve(std::size_t capacity) {
        if (capacity <= capacity_) return;
        T* const larger = std::allocator<T>().allocate(capacity);
        std::uninitialized_move(begin(), end(), larger);
        const std::size_t kept = size_;
        release();
        data_ = larger;
        size_ = kept;
        capacity_ = capacity;
    }
    void push_back(T value) {
        if (size_ == capacity_) reserve(2 * capacity_);
        std::construct_at(data_ + size_, std::move(value));
        ++size_;
    }
    /// Keeps the first `count` elements. Precondition: count <= size().
    void truncate(std::size_t count) {
        std::destroy(data_ + count, end());
        size_ = count;
    }
    void clear() { truncate(0); }

  private:
    T* inline_data() { return reinterpret_cast<T*>(inline_); }

    /// Destroys the elements and frees allocated memory.
    void release() {
        clear();
        if (data_ != inline_data()) std::allocator<T>().deallocate(data_, capacity_);
        data_ = inline_data();
        capacity_ = N;
    }
    /// Moves the elements from `other`, which is left empty. Precondition: this vector
    /// is as release() leaves it.
    void take(InlineVector& other) noexcept {
        if (other.data_ == other.inline_data()) {
            std::uninitialized_move(other.begin(), other.end(), data_);
            size_ = other.size_;
        } else {
            data_ = std::exchange(other.data_, other.inline_data());
            size_ = std::exchange(other.size_, 0);
            capacity_ = std::exchange(other.capacity_, N);
        }
        other.release();
    }

    alignas(T) std::byte inline_[N * sizeof(T)];  // NOLINT(bugprone-sizeof-expression): T may be a pointer
    T* data_ = inline_data();
    std::size_t size_ = 0;
    std::size_t capacity_ = N;
};

MUSTER_API_END
}  // namespace muster
