// intern_table.hpp - finds elements of a list by their contents, so that equal ones are made once. The list
// stays with its owner: the table has an index and a hash of each element.
//
//     const std::uint32_t at = table.find_or_add(hash(node), size, [&](std::uint32_t i) { return nodes[i] == node; });
//     if (at == size) nodes.push_back(node);
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A number that differs in each process, to hash elements with: who writes a program can't choose elements
/// that lie in one place of a table, where each would be compared with all others.
inline std::uint64_t hash_seed() {
    static const std::uint64_t seed = std::uint64_t{std::random_device()()} << 32 | std::random_device()();
    return seed;
}

class InternTable {
  public:
    /// The index of the element with this hash of which `is_same(index)` is true. If there is none, it
    /// is `next`, which is added.
    template <class IsSame>
    std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t next, IsSame&& is_same) {
        if (2 * count_ >= slots_.size()) grow();
        const auto part = static_cast<std::uint32_t>(hash ^ (hash >> 32));
        for (std::size_t at = part;; ++at) {
            Slot& slot = slots_[at & (slots_.size() - 1)];
            if (slot.index == none) {
                slot = {part, next};
                ++count_;
                return next;
            }
            if (slot.hash == part && is_same(slot.index)) return slot.index;
        }
    }

  private:
    static constexpr std::uint32_t none = UINT32_MAX;
    struct Slot {
        std::uint32_t hash = 0, index = none;
    };

    void grow() {
        std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
        before.swap(slots_);
        for (const Slot& slot : before) {
            if (slot.index == none) continue;
            std::size_t at = slot.hash;
            while (slots_[at & (slots_.size() - 1)].index != none) ++at;
            slots_[at & (slots_.size() - 1)] = slot;
        }
    }

    std::vector<Slot> slots_;  // a power of two, at most half of them taken
    std::size_t count_ = 0;
};

MUSTER_API_END
}  // namespace muster
