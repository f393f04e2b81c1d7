// callers_array.hpp - an array of the caller's at a chosen place in a page, between bytes that aren't part of it.
//
//     test::CallersArray<float> x(1000, 16, 1.0f);     // 1,000 ones, 16 bytes after the begin of a page
//     Buffer over = *session.buffer_over(x.all());   ...   CHECK(x.is_intact_around());
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>

namespace muster::test {

template <class T>
class CallersArray {
  public:
    static constexpr std::size_t page = 4096;

    /// after: a multiple of the alignment of T, at most a page.
    CallersArray(std::size_t count, std::size_t after, T value)
        : bytes_(3 * page + count * sizeof(T)),
          memory_(static_cast<std::byte*>(::operator new (bytes_, std::align_val_t{page}))),
          all_(reinterpret_cast<T*>(memory_ + page + after), count) {
        std::fill_n(memory_, bytes_, around);
        fill(value);
    }
    ~CallersArray() { ::operator delete (memory_, std::align_val_t{page}); }
    CallersArray(const CallersArray&) = delete;
    CallersArray& operator=(const CallersArray&) = delete;

    std::span<T> all() const { return all_; }
    std::span<std::byte> bytes() const { return std::as_writable_bytes(all_); }
    void fill(T value) const { std::ranges::fill(all_, value); }
    /// True if each element has this value.
    bool holds(T value) const {
        return std::ranges::all_of(all_, [&](T element) { return element == value; });
    }
    bool is_intact_around() const {
        const std::byte* const begin = bytes().data();
        const auto is_around = [](std::byte byte) { return byte == around; };
        return std::all_of<const std::byte*>(memory_, begin, is_around) &&
               std::all_of<const std::byte*>(begin + bytes().size(), memory_ + bytes_, is_around);
    }

  private:
    static constexpr std::byte around{0xa5};
    std::size_t bytes_;
    std::byte* memory_;
    std::span<T> all_;
};

}  // namespace muster::test
