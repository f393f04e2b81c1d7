// large_arrays.hpp - finds arrays, and structures of them, that are zeroed and copied by loops.
//
// A driver turns the store of a whole array into one store per element, and llvmpipe's time is quadratic in
// these if the array stays in memory because it is indexed at run time. Threads: pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster::vulkan {

/// Words stored in a row, outside loops or in one iteration.
inline constexpr std::uint64_t words_at_once = 32;
inline std::uint32_t elements_at_once(const TypeTable& types, TypeId array) {
    const std::uint64_t words = std::max<std::uint64_t>(1, types.scalar_words(types[array].element));
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, words_at_once / words));
}

class LargeArrays {
  public:
    explicit LargeArrays(const Program& program);

    /// True if the type has more than four times words_at_once words and is somewhere
    /// indexed by a non-constant.
    bool is_large(TypeId type) const { return large_[type.index]; }
    /// True for a load of a large value that each use can repeat: all uses follow in its block before any
    /// memory changes, and are stores of it, declarations or extractions of parts.
    bool is_read_in_place(NodeId load) const { return in_place_[load.index]; }
    /// True for a value of an array type that is indexed at run time, and for a load of a large value.
    bool is_kept_in_memory(NodeId value) const { return in_memory_[value.index]; }

    /// Iterations of the loops that zero or copy a value of the type.
    std::uint64_t iterations(TypeId type) const;
    /// Iterations that a placed node itself needs, without the nodes inside it.
    std::uint64_t iterations(NodeId node) const;
    /// Iterations that zero private variables before everything else.
    std::uint64_t iterations_at_start() const;
    bool is_zeroed_by_loops(const Variable& variable) const;

  private:
    void find_large();
    void find_places();
    void find_read_in_place(BlockId block, std::size_t at, const std::vector<std::uint32_t>& uses);

    const Program& program_;
    std::vector<bool> large_;                 // by type
    std::vector<bool> in_place_, in_memory_;  // by node
};

}  // namespace muster::vulkan
