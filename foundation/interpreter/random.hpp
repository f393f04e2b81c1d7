// random.hpp - the interpreter's random numbers. Internal.
#pragma once

#include <cstdint>

namespace muster::interpreter {

/// Spreads the bits of x (splitmix64's finaliser).
constexpr std::uint64_t scramble(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

class Random {
  public:
    explicit Random(std::uint64_t seed = 0) : state_(scramble(seed) | 1) {}

    std::uint64_t next() {  // xorshift64*
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1du;
    }
    /// Returns a number below `bound`, which is at least 1.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

  private:
    std::uint64_t state_;
};

/// A shuffled order of 0 ... count - 1 that takes no memory: a bijection on the next power of two, iterated
/// until the result is below count.
class Shuffle {
  public:
    Shuffle(std::uint64_t count, std::uint64_t seed)
        : count_(count), multiplier_(scramble(seed) | 1), offset_(scramble(seed + 1)) {
        while (mask_ < count - 1) mask_ = mask_ * 2 + 1, ++bits_;
    }
    std::uint64_t operator[](std::uint64_t i) const {
        do {
            i = (i * multiplier_ + offset_) & mask_;
            i ^= i >> (bits_ / 2 + 1);
            i = (i * 0x9e3779b97f4a7c15u) & mask_;
        } while (i >= count_);
        return i;
    }

  private:
    std::uint64_t count_, multiplier_, offset_, mask_ = 0;
    std::uint32_t bits_ = 0;
};

}  // namespace muster::interpreter
