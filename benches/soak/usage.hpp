// usage.hpp - what this process holds of the machine, as the system and the allocator count it.
#pragma once

#include <cstdint>
#include <string>

namespace muster::soak {

struct Usage {
    std::uint64_t resident_bytes = 0;   // /proc/self/statm
    std::uint64_t allocated_bytes = 0;  // by malloc, in all arenas and in mappings of its own
    std::uint64_t threads = 0, files = 0;

    std::string to_string() const;
};

Usage usage();

/// Gives the memory that malloc keeps for later back to the system, so that two counts of
/// resident bytes can be compared.
void trim();

}  // namespace muster::soak
