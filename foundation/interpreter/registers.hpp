// registers.hpp - allocates runs of frame words to values. Internal.
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

    /// Allocates a run of words until position `last` has passed.
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

    /// Frees the runs that are no longer needed at `now`.
    void release_before(std::uint32_t now) {
        for (; !taken_.empty() && taken_.top().last < now; taken_.pop())
            free_[taken_.top().words].push_back(taken_.top().at);
    }

    /// The number of words that the frame needs.
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
