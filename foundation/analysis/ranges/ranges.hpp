// ranges.hpp - finds accesses that stay in bounds, and branches that are decided, before the body runs.
//
// For every access and every branch the answer is: always, under a condition, or unknown. A condition is a
// conjunction of comparisons between expressions that can be evaluated once per dispatch or per workgroup:
// they consist of workgroup_id, num_workgroups, lengths of arrays, and entry values (words at fixed offsets
// of bindings that the program doesn't write). A backend chooses conditions and evaluates them; if all hold,
// it runs a body without the checks that they prove unnecessary, otherwise the guarded body.
//
//     const Ranges ranges = analyse_ranges(program);
//     const RangeProof proof = ranges.in_bounds(store);              // for if (i < n) { y[i] = ...; }
//     if (proof.known == RangeKnown::under_condition) {
//         const RangeCondition& condition = ranges.conditions()[proof.condition];   // min(64 g + 63, n - 1) < |y|
//         unguarded = holds(condition, evaluate(program, ranges, facts));
//     }
//
// Claims are independent: each needs only its own condition. A branch has a claim under a condition only if
// the condition is likely to hold together with the others: for guards on the invocation's position, the
// direction that most invocations take; not for branches that leave a loop or depend on its iteration.
//
// Method: follows integers as intervals between two expressions, through function and private variables of
// scalar and vector type, counting and halving loops, and the branches that lead to a point. Values that
// might wrap modulo 2^32 are bounded only if the expressions show that they don't.
//
// Threads: values; nothing shared. Cost: nearly linear in nodes, within a budget; whatever
// is beyond it is unknown.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Operations on 64-bit integers. The results of add, sub and mul saturate at +-range_limit.
enum class RangeOp : std::uint8_t {
    constant,        // value
    workgroup_low,   // least workgroup_id of the queried range, in axis `index` (0, 1, 2)
    workgroup_high,  // greatest one; both are equal for a single workgroup
    num_workgroups,  // in axis `index`
    array_length,    // Ranges::arrays()[index]
    entry_value,     // Ranges::entries()[index]
    add,
    sub,
    mul,
    div,          // toward zero; a divisor below 1 counts as 1
    shift_right,  // rounds down; operand 1 is a constant from 0 to 31
    min,
    max,
    select_le,  // operand 0 <= operand 1 ? operand 2 : operand 3
};
inline constexpr std::int64_t range_limit = std::int64_t{1} << 61;  // the sum of two fits 64 bits

struct RangeExpressionId {
    std::uint32_t index = UINT32_MAX;
    constexpr auto operator<=>(const RangeExpressionId&) const = default;
};

struct RangeExpression {
    RangeOp op = RangeOp::constant;
    std::uint32_t index = 0;
    std::array<RangeExpressionId, 4> operands = {};  // as many as the operation has; they precede it
    std::int64_t value = 0;
    std::int64_t low = 0, high = 0;  // bounds of the value, whatever the facts are
};

/// A run-time array; its length is (bytes bound - offset) / stride.
struct RangeArray {
    VariableId variable;
    std::uint64_t offset = 0, stride = 1;  // bytes
    bool operator==(const RangeArray&) const = default;
};

/// The i32 or u32 at a byte offset of a binding that the program doesn't write; 0 if fewer than bytes_needed
/// are bound.
struct RangeEntry {
    VariableId variable;
    Scalar scalar = Scalar::u32;
    std::uint64_t offset = 0, bytes_needed = 0;
    bool operator==(const RangeEntry&) const = default;
};

/// Expressions and what their symbols refer to. Operands come before users, so that one
/// pass evaluates them all.
struct RangeTable {
    std::vector<RangeExpression> expressions;
    std::vector<RangeArray> arrays;
    std::vector<RangeEntry> entries;
};

/// Holds if low <= high.
struct RangeComparison {
    RangeExpressionId low, high;
    constexpr auto operator<=>(const RangeComparison&) const = default;
};

struct RangeCondition {
    std::vector<RangeComparison> all_of;
    struct Branch {
        NodeId node;
        bool value = false;
    };
    // The nodes that the condition proves something about.
    std::vector<NodeId> accesses;
    std::vector<Branch> branches;
};

enum class RangeKnown : std::uint8_t { no, under_condition, always };

struct RangeProof {
    RangeKnown known = RangeKnown::no;
    std::uint32_t condition = UINT32_MAX;  // under_condition: index into conditions()
};

class Ranges {
  public:
    /// The proof that an access is in bounds. For a load, store or atomic: every step of its place. For a
    /// ref_index: this step, wherever the reference is used. For an extract_dynamic: its index. A place
    /// without ref_index steps is always in bounds.
    RangeProof in_bounds(NodeId access) const { return at(in_bounds_, access); }
    /// The proof that the condition of an if_ or break_if is `value` in every invocation, at every execution.
    RangeProof decided(NodeId branch, bool value) const { return at(value ? true_ : false_, branch); }

    /// The expressions that conditions use.
    const RangeTable& table() const { return table_; }
    std::span<const RangeExpression> expressions() const { return table_.expressions; }
    std::span<const RangeArray> arrays() const { return table_.arrays; }
    std::span<const RangeEntry> entries() const { return table_.entries; }
    std::span<const RangeCondition> conditions() const { return conditions_; }

  private:
    friend class RangesMaker;
    static RangeProof at(const std::vector<RangeProof>& all, NodeId id) {
        return id.index < all.size() ? all[id.index] : RangeProof{};
    }
    std::vector<RangeProof> in_bounds_, true_, false_;  // by node
    RangeTable table_;
    std::vector<RangeCondition> conditions_;
};

/// Precondition: the program is valid.
Ranges analyse_ranges(const Program& program);
/// Likewise, for a part of a workgroup: boxes of so many invocations, into which the whole grid is divided.
/// The expressions' workgroups are boxes then: box 5 along x of 16 invocations has the global ids from 80 on.
/// Precondition: `box` divides the program's workgroup size along each axis.
Ranges analyse_ranges(const Program& program, Extent3 box);

/// The inputs of expressions, for a launch or for some of its workgroups.
struct RangeFacts {
    Extent3 workgroup_low{0, 0, 0}, workgroup_high{0, 0, 0};  // inclusive
    Extent3 num_workgroups;
    std::span<const std::span<const std::byte>> bindings;  // in Program::bindings() order
};

/// The values of a table's symbols.
struct RangeSymbols {
    Extent3 workgroup_low{0, 0, 0}, workgroup_high{0, 0, 0};  // inclusive
    Extent3 num_workgroups;
    std::span<const std::int64_t> lengths, entries;  // of RangeTable::arrays and ::entries
};
/// Sets `values` to those of the table's expressions, by index.
void evaluate(const RangeTable& table, const RangeSymbols& symbols, std::vector<std::int64_t>& values);
/// The elements of an array in a binding of so many bytes.
std::int64_t length_in(const RangeArray& array, std::uint64_t bytes);
/// The value of an entry in a binding of which so many bytes are bound, the first of which are `known`;
/// nothing if those that it depends on aren't among them.
std::optional<std::int64_t> value_in(const RangeEntry& entry, std::uint64_t bytes,
                                     std::span<const std::byte> known);

/// Returns the values of expressions(), by index. Precondition: every binding of the program is given, and
/// none is smaller than its type.
std::vector<std::int64_t> evaluate(const Program& program, const Ranges& ranges, const RangeFacts& facts);
bool holds(const RangeCondition& condition, std::span<const std::int64_t> values);

MUSTER_API_END
}  // namespace muster
