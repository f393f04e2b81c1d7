// large_arrays.hpp - arrays, and structures of them, that are zeroed and copied by loops.
//
// A driver makes one store per element of the store of a whole array, and llvmpipe takes time quadratic in these where the
// array stays in memory because an index chooses its elements. Threads: pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

/// Words that are stored in a row, outside of loops or in one turn.
inline constexpr std::uint64_t words_at_once = 32;
inline std::uint32_t elements_at_once(const TypeTable& types, TypeId array) {
    const std::uint64_t words = std::max<std::uint64_t>(1, types.scalar_words(types[array].element));
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, words_at_once / words));
}

class LargeArrays {
  public:
    explicit LargeArrays(const Program& program);

    /// More words than four times words_at_once, and somewhere an index that isn't constant chooses among them.
    bool is_large(TypeId type) const { return large_[type.index]; }
    /// A load of a large value that each of its uses can make for itself: all follow in its block before anything changes,
    /// and are stores of it, declarations or extractions of parts.
    bool is_read_in_place(NodeId load) const { return in_place_[load.index]; }
    /// A value of an array whose elements an index chooses, or a load of a large one.
    bool is_kept_in_memory(NodeId value) const { return in_memory_[value.index]; }

    /// Turns of the loops that zero or copy it.
    std::uint64_t turns(TypeId type) const;
    /// The same of what a placed node zeroes or copies, what is within it aside.
    std::uint64_t turns(NodeId node) const;
    /// The same of private variables that are zeroed so before everything else.
    std::uint64_t turns_at_start() const;
    bool is_zeroed_by_loops(const Variable& variable) const;

  private:
    void find_large();
    void find_places();
    void look_behind(BlockId block, std::size_t at, const std::vector<std::uint32_t>& uses);

    const Program& program_;
    std::vector<bool> large_;                 // by type
    std::vector<bool> in_place_, in_memory_;  // by node
};

}  // namespace muster::vulkan
