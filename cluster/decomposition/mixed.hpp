// mixed.hpp - a hash for what processes compare and plans are found by. Internal to cluster/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace muster::cluster {

/// A hash of numbers, the same on every machine.
class Mixed {
  public:
    Mixed& add(std::uint64_t number) {
        hash_ = (hash_ ^ number) * 0x9e3779b97f4a7c15u;
        hash_ ^= hash_ >> 32;
        return *this;
    }
    Mixed& add(std::span<const std::byte> bytes) {
        add(bytes.size());
        for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data(), 8);
            add(word);
        }
        std::uint64_t rest = 0;
        if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
        return add(rest);
    }
    std::uint64_t hash() const { return hash_; }

  private:
    std::uint64_t hash_ = 0x243f6a8885a308d3u;
};

}  // namespace muster::cluster
