// damage.hpp - changes bytes as an unreliable store would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <muster/foundation/interpreter/random.hpp>

namespace muster::fuzz {

/// Changes, moves or cuts some of the bytes.
inline std::vector<std::byte> damaged(std::vector<std::byte> bytes, interpreter::Random& random) {
    const auto at = [&] {
        return static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(bytes.size())));
    };
    for (std::uint32_t changes = 1 + random.below(4); changes > 0 && !bytes.empty(); --changes) {
        switch (random.below(4)) {
            case 0: bytes[at()] = static_cast<std::byte>(random.below(256)); break;
            case 1: bytes[at()] ^= std::byte(1u << random.below(8)); break;
            case 2: bytes[at()] = bytes[at()]; break;
            default: bytes.resize(at()); break;
        }
    }
    return bytes;
}

}  // namespace muster::fuzz
