// failing_allocations.hpp - makes chosen allocations of muster's own code fail, on one thread, and counts those that are never
// freed. The source replaces operator new and delete of the whole test program.
//
//     FailingAllocations failing(3, 3);      // the fourth allocation of this thread throws std::bad_alloc, or is null
//     ...
//     failing.made();                        // allocations so far
//
// Muster's are the allocations that this program's code makes, and those that libstdc++ and libfmt make for it. These do not fail:
// - what drivers and compilers allocate themselves: they are built to end the process, or are broken by an exception. Their
//   code lies in other modules, or it is a template of the C++ library's that this program has, too, called within a native
//   call: that ends, as far as this file sees, with the first allocation further up the stack;
// - anything while LLVM works for the CPU backend, whose handler is then set (docs/cpu.md, "Out of memory");
// - allocations of other threads.
#pragma once

#include <cstdint>

#include <muster/driver/contract/check.hpp>

namespace muster::test {

inline constexpr std::int64_t never = INT64_MAX;

/// Makes the allocations from number `first` to `last`, from 0, fail during its lifetime. One at a time.
class FailingAllocations {
  public:
    FailingAllocations(std::int64_t first, std::int64_t last);
    ~FailingAllocations();
    FailingAllocations(const FailingAllocations&) = delete;
    FailingAllocations& operator=(const FailingAllocations&) = delete;

    std::int64_t made() const;

  private:
    PlantedFaults native_calls_;  // it plants none, and notices each call
};

/// The allocations of all FailingAllocations' lifetimes that aren't freed.
std::int64_t allocations_alive();

}  // namespace muster::test
