// footprint.hpp - finds the words of each binding that a workgroup, or a box of workgroups, reads and writes.
//
// Each access to a binding has an interval of words whose ends are range expressions
// (ranges/ranges.hpp): they consist of the box's least and greatest workgroup_id, num_workgroups,
// lengths of arrays and entry values. So the analysis is made once for a program, and evaluated for each
// box once the arguments are known:
//
//     const Footprint footprint = analyse_footprint(program);       // if (i < n) { y[i] = x[i - 1] + x[i + 1]; }
//     FootprintValues values(footprint, {.grid = grid, .bindings = known});
//     values.set_box({2, 0, 0}, {3, 0, 0});                         // workgroups 2 and 3, of 64 invocations each
//     values.words(0);                                              // the load of x[i - 1]: words 127 to 254
//
// In a loop over the whole grid, `for (var i = id.x; i < n; i += 64 * num_workgroups.x)`, the words are
// one interval in each turn.
//
// An interval holds every word that the box may access. Conditions that lead to an access narrow it, as far
// as the analysis of ranges understands them, and accesses out of bounds count for nothing. If nothing bounds
// an index, the interval is the whole binding.
//
// Threads: values. Cost: that of the analysis of ranges; evaluation is linear in the expressions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <muster/foundation/analysis/dispatch_work.hpp>
#include <muster/foundation/analysis/ranges/ranges.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// An access to a binding. Accesses of the same kind to the same words are one, with the first one's node.
struct FootprintAccess {
    NodeId node;                // a load, store, atomic or extension
    std::uint32_t binding = 0;  // index into Program::bindings()
    bool reads = false, writes = false;
    /// An atomic whose result is unused, with an operation on i32 or u32 whose order doesn't matter.
    bool is_reducible = false;
    bool is_bounded = true;       // something is known about each index, other than its type
    Scalar scalar = Scalar::u32;  // of an atomic
    RangeExpressionId low, high;  // words, inclusive; none if low > high. They may exceed the binding
    /// For a loop with a stride that the host knows: in each turn the words are those from turn_low to
    /// turn_high, and `stride` more for each turn before, if all of turns_if hold. Stride 0: it isn't known.
    RangeExpressionId turn_low, turn_high, stride;
    std::vector<RangeComparison> turns_if;
    std::vector<RangeComparison> reached_if;  // unless all hold, no workgroup of the box gets to the access
    /// The words that the box is shown to write, all of them, if all of filled_if hold; none if low > high.
    RangeExpressionId filled_low, filled_high;
    std::vector<RangeComparison> filled_if;
};

struct Footprint {
    Program program;
    std::vector<FootprintAccess> accesses;  // in program order
    RangeTable table;
    Extent3 writing;  // writing_workgroups.hpp: the others needn't run
};

/// Precondition: the program is valid.
Footprint analyse_footprint(const Program& program);

/// The words of accesses for boxes of workgroups of one dispatch.
class FootprintValues {
  public:
    /// `dispatch.grid` is num_workgroups. The footprint must outlive this object.
    /// Precondition: every binding is given.
    FootprintValues(const Footprint& footprint, const KnownDispatch& dispatch);

    /// Takes the workgroups from `low` to `high`, inclusive.
    void set_box(Extent3 low, Extent3 high);

    struct Words {
        std::uint64_t begin = 0, end = 0;  // empty if equal
    };
    /// The words that the box may access, as an interval.
    Words words(std::size_t access) const;
    /// Likewise, apart where strides leave words out; the interval if these would be more than `most`.
    /// Ascending; they may touch.
    std::vector<Words> parts(std::size_t access, std::size_t most) const;
    /// The words among them that it certainly writes.
    Words filled(std::size_t access) const;
    /// True if something that is known bounds the access, other than the size of the binding.
    bool is_bounded(std::size_t access) const {
        const FootprintAccess& of = footprint_.accesses[access];
        return of.is_bounded && is_known({of.low, of.high});
    }

  private:
    Words clipped(RangeExpressionId low, RangeExpressionId high, std::uint32_t binding) const;
    bool is_known(const RangeComparison& one) const { return is_known(one.low) && is_known(one.high); }
    bool holds(const RangeComparison& one) const { return values_[one.low.index] <= values_[one.high.index]; }
    bool is_known(RangeExpressionId id) const { return is_unknown_.empty() || !is_unknown_[id.index]; }

    const Footprint& footprint_;
    Extent3 num_workgroups_;
    std::vector<std::uint64_t> words_in_;  // by binding
    std::vector<std::int64_t> lengths_, entries_, values_;
    std::vector<bool>
        is_unknown_;  // by expression: it depends on an entry that isn't known; empty: none does
};

MUSTER_API_END
}  // namespace muster
