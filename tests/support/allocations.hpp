// allocations.hpp - counts the calls of operator new of a whole program. Include it in one source of the
// program.
//
//     const std::uint64_t before = muster::test::allocations();
//     ...
//     CHECK(muster::test::allocations() - before == 0);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace muster::test {

inline std::atomic<std::uint64_t> allocation_count{0};
/// The number of calls so far, on all threads.
inline std::uint64_t allocations() { return allocation_count.load(std::memory_order_relaxed); }

}  // namespace muster::test

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    muster::test::allocation_count.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
// A replacement, so that the memory goes to the same operator delete.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    muster::test::allocation_count.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
