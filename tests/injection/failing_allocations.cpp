#include "injection/failing_allocations.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include <link.h>

extern "C" const char __executable_start, etext;  // NOLINT: the linker's names

namespace muster::test {
namespace {

struct Range {
    std::uintptr_t first = 0, last = 0;
    bool contains(std::uintptr_t address) const { return address >= first && address < last; }
};

/// The code of libstdc++ and libfmt.
std::array<Range, 2> helpers;

int find_helpers(dl_phdr_info* info, std::size_t, void*) {
    constexpr std::array names{"libstdc++.so", "libfmt.so"};
    for (std::size_t i = 0; i < names.size(); ++i)
        if (std::strstr(info->dlpi_name, names[i]) != nullptr)
            for (int k = 0; k < info->dlpi_phnum; ++k)
                if (const auto& part = info->dlpi_phdr[k];
                    part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0)
                    helpers[i] = {info->dlpi_addr + part.p_vaddr,
                                  info->dlpi_addr + part.p_vaddr + part.p_memsz};
    return 0;
}

struct Counting {
    bool is_on = false;
    std::uintptr_t native_frame =
        0;  // the stack's place when the last native call was announced; 0: it has returned
    std::int64_t made = 0, first = never, last = never;
};
thread_local constinit Counting counting;
std::atomic<std::int64_t> alive{0};

/// The stack grows downwards, so a native call has returned once something is allocated above its place.
bool is_in_native_call(std::uintptr_t frame) {
    if (frame > counting.native_frame) counting.native_frame = 0;
    return counting.native_frame != 0;
}

bool is_musters(std::uintptr_t caller) {
    const Range own{reinterpret_cast<std::uintptr_t>(&__executable_start),
                    reinterpret_cast<std::uintptr_t>(&etext)};
    return own.contains(caller) || helpers[0].contains(caller) || helpers[1].contains(caller);
}

/// In front of each allocation: whether it is one of those that are counted.
struct alignas(16) Head {
    bool is_counted;
};

void* allocate(std::size_t bytes, const void* caller, const void* frame) {
    const bool is_counted = counting.is_on && std::get_new_handler() == nullptr &&
                            is_musters(reinterpret_cast<std::uintptr_t>(caller)) &&
                            !is_in_native_call(reinterpret_cast<std::uintptr_t>(frame));
    if (is_counted) {
        const std::int64_t number = counting.made++;
        if (number >= counting.first && number <= counting.last) return nullptr;
    }
    auto* const head = static_cast<Head*>(std::malloc(bytes + sizeof(Head)));
    if (head == nullptr) return nullptr;
    head->is_counted = is_counted;
    if (is_counted) ++alive;
    return head + 1;
}

void release(void* memory) {
    if (memory == nullptr) return;
    auto* const head = static_cast<Head*>(memory) - 1;
    if (head->is_counted) --alive;
    std::free(head);
}

}  // namespace

FailingAllocations::FailingAllocations(std::int64_t first, std::int64_t last)
    : native_calls_([](std::string_view) {
          counting.native_frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
          return std::optional<Error>();
      }) {
    dl_iterate_phdr(find_helpers, nullptr);
    counting = {true, 0, 0, first, last};
}

FailingAllocations::~FailingAllocations() { counting = {}; }

std::int64_t FailingAllocations::made() const { return counting.made; }

std::int64_t allocations_alive() { return alive; }

}  // namespace muster::test

using muster::test::allocate;
using muster::test::release;

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    if (void* memory = allocate(bytes, __builtin_return_address(0), __builtin_frame_address(0)))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return allocate(bytes, __builtin_return_address(0), __builtin_frame_address(0));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
