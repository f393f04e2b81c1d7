// memory.hpp - the machine's memory, how much of it is free, and pages of it. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <muster/foundation/base/api.hpp>

namespace muster::platform {

/// The sum of physical memory and swap space; INT64_MAX if the system doesn't report it.
std::uint64_t host_memory_bytes();

MUSTER_API_BEGIN

/// Physical memory; 0 if the system doesn't report it.
std::uint64_t physical_memory_bytes();

/// Physical memory, or the limit of this process's control group if that is less; 0 if the system doesn't report it.
std::uint64_t usable_memory_bytes();

/// The memory that programs can still get without swapping others out, within this process's control group,
/// now. None if the system doesn't report it.
std::optional<std::uint64_t> free_host_memory_bytes();

/// The size of a page.
std::uint64_t page_bytes();

/// Sets `at` to new pages of zeros, which may be read and written. Returns 0, or an errno.
int map_pages(std::uint64_t bytes, void*& at);
void unmap_pages(void* at, std::uint64_t bytes);
/// Lets code in these pages run, which then can't be written. Returns 0, or an errno.
int make_executable(void* at, std::uint64_t bytes);
/// Prefers huge pages for this memory: a hint.
void prefer_huge_pages(void* at, std::uint64_t bytes);
/// Returns 0 if the process may still map so many addresses, or an errno.
int why_no_addresses(std::uint64_t bytes);

MUSTER_API_END
}  // namespace muster::platform
