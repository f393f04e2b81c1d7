// plan.hpp - the plan of one dispatch over several ranks, as plain data (planner.hpp makes it,
// and says how to use it).
//
// Threads: values.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/cluster/decomposition/reduction.hpp>
#include <muster/cluster/decomposition/words.hpp>
#include <muster/foundation/base/source.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cluster {

/// A distribution of a planner: equal distributions have equal ids.
struct DistributionId {
    std::uint32_t index = UINT32_MAX;
    constexpr auto operator<=>(const DistributionId&) const = default;
    constexpr explicit operator bool() const { return index != UINT32_MAX; }
};

/// Weights of a planner's ranks: equal ones have equal ids. As made: those that the planner was made with.
struct WeightsId {
    std::uint32_t index = 0;
};

/// A binding's argument: a whole buffer, which no other binding that is written has too;
/// or the bytes of a uniform.
struct PlanBinding {
    std::uint64_t bytes = 0;                // a multiple of 4
    std::span<const std::byte> value = {};  // the contents, if the host knows them; then `bytes` may be 0
    DistributionId distribution = {};       // none: every rank has the same contents (uniforms)
    /// The caller's word that the program may read all of it, for reads that nothing bounds.
    bool reads_whole = false;
};

struct PlanRequest {
    Extent3 grid;
    std::span<const PlanBinding> bindings;  // in Program::bindings() order
    WeightsId weights = {};
};

/// A rank's workgroups along Plan::axis; interior: those that touch no word that comes in, perhaps none.
struct RankPart {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t interior_begin = 0, interior_end = 0;
    bool operator==(const RankPart&) const = default;
};

struct Transfer {
    std::uint32_t from = 0, to = 0;  // ranks
    std::uint32_t binding = 0;       // in Program::bindings() order
    WordRange words;
    bool operator==(const Transfer&) const = default;
};

struct Reduction {
    std::uint32_t binding = 0;
    WordRange words;
    ReductionOp op = ReductionOp::add;
    Scalar type = Scalar::u32;  // i32 or u32
    std::uint32_t keeper = 0;   // the rank whose words aren't filled with the identity; it has them current
    bool operator==(const Reduction&) const = default;
};

/// Why a dispatch isn't cut.
struct OneRank {
    std::string message;        // a full sentence
    std::string fix;            // what to change; may be empty
    SourceLocation where = {};  // the access that prevents a cut; line 0: none
    std::string place;          // `where` as text: "bfs.wgsl:12:9"; may be empty
};

struct Plan {
    std::uint32_t axis = 0;           // along which the grid is cut: 0, 1, 2
    Extent3 grid;                     // num_workgroups
    Extent3 runs;                     // the first workgroups of the grid, often all: the others do nothing
    std::vector<RankPart> parts;      // by rank
    std::vector<Transfer> transfers;  // ordered by receiving rank, then sending rank, then binding
    std::vector<Reduction> reductions;
    std::vector<DistributionId> after;  // in Program::bindings() order; none where the binding has none
    /// Set if the dispatch isn't cut: one rank has the whole grid, the others nothing. The caller
    /// may make an error of it.
    std::optional<OneRank> one_rank;

    std::uint64_t bytes_transferred = 0;  // over all transfers
    std::uint64_t most_words = 0;         // the most words that a rank sends and receives
    /// The least that an all-reduce of all reductions sends, over all ranks: 2 (ranks - 1) times the words.
    std::uint64_t bytes_reduced = 0;

    /// The workgroups from `begin` up to, without, `end` along the axis, as a part of the grid.
    Extent3 origin(std::uint32_t begin) const;
    Extent3 extent(std::uint32_t begin, std::uint32_t end) const;
};

}  // namespace muster::cluster
