#include "usage.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

namespace muster::soak {
namespace {

std::uint64_t entries(const char* folder) {
    std::error_code ignored;
    return static_cast<std::uint64_t>(std::distance(std::filesystem::directory_iterator(folder, ignored),
                                                    std::filesystem::directory_iterator()));
}

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

std::string Usage::to_string() const {
    return fmt::format("{:.1f} MiB resident, {:.1f} MiB allocated, {} threads, {} files", mib(resident_bytes),
                       mib(allocated_bytes), threads, files);
}

Usage usage() {
    std::uint64_t whole_pages = 0, resident_pages = 0;
    std::ifstream("/proc/self/statm") >> whole_pages >> resident_pages;
    const struct mallinfo2 heap = mallinfo2();
    return {resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)), heap.uordblks + heap.hblkhd,
            entries("/proc/self/task"), entries("/proc/self/fd")};
}

void trim() { malloc_trim(0); }

}  // namespace muster::soak
