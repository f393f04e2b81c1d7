// registers.hpp - hands out the words of a frame to values, and takes them back. Internal.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace muster::interpreter {

class Registers {
  public:
    explicit Registers(std::uint64_t first) : end_(first) {}

    /// A run of words that is taken until `last` has passed.
    std::uint32_t take(std::uint32_t words, std::uint32_t last) {
        std::vector<std::uint32_t>& free = free_[words];
        std::uint32_t at = static_cast<std::uint32_t>(end_);
        if (free.empty()) {
            end_ += words;
        } else {
            at = free.back();
            free.pop_back();
        }
        taken_.push({last, at, words});
        return at;
    }

    /// Takes back what was needed before `now` only.
    void release_before(std::uint32_t now) {
        for (; !taken_.empty() && taken_.top().last < now; taken_.pop())
            free_[taken_.top().words].push_back(taken_.top().at);
    }

    /// Words that the frame needs.
    std::uint64_t end() const { return end_; }

  private:
    struct Taken {
        std::uint32_t last, at, words;
        bool operator>(const Taken& other) const { return last > other.last; }
    };
    std::uint64_t end_;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> free_;  // by size
    std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken_;
};

}  // namespace muster::interpreter
