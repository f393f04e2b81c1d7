// knowledge.hpp - what is known about values at a point in the program: which branches led there, and hence
// the interval of each value. Internal to the range analysis.
//
// A fact states that some integer congruent to a sum, modulo 2^32, lies in an interval. assume() adds facts;
// leaving a scope removes the facts added in it.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include <muster/foundation/analysis/ranges/values.hpp>

namespace muster::ranges {

/// A conjunction of comparisons that proves something: empty if it always holds, absent if there is no proof.
using Claim = std::optional<std::vector<RangeComparison>>;

class Knowledge {
  public:
    /// `budget` bounds the work: ranges computed and facts examined.
    Knowledge(Values& values, Expressions& expressions, Extent3 workgroup_size, std::size_t budget)
        : values_(values), e_(expressions), intervals_(expressions), size_(workgroup_size), budget_(budget) {}

    void enter();
    void leave();

    /// Assumes, until the scope ends, that the condition is `truth`.
    void assume(ValueId condition, bool truth, int depth = 0);
    /// Assumes, until the scope ends, that the integer lies in the interval.
    void assume_within(ValueId integer, Interval interval);
    /// Must be called after the interval of an opaque value has been set anew.
    void changed() { epoch_ = ++last_epoch_; }

    /// The interval of an integer as its type reads it; the ends are in the type's range.
    Interval range(ValueId integer);
    /// The elements that an index selects among the first `count` (at most 2^31); those of u32 that are a
    /// small negative number modulo 2^32 select none.
    Interval selected(ValueId index, Expression count);
    /// Comparisons that hold if control gets here, as far as the facts say; at most max_claims.
    std::vector<RangeComparison> reached_if();

    /// Claims that prove a <= b; that 0 <= index < count; that a condition is `truth`.
    Claim at_most(Expression a, Expression b);
    Claim in_bounds(ValueId index, Expression count);
    Claim is(ValueId condition, bool truth, int depth = 0);
    static Claim both(Claim a, Claim b);
    /// An equivalent or stronger, simpler claim, in which "values stay within their types" is a comparison of
    /// its own.
    Claim plain(const Claim& claim);
    /// The conditions that are assumed, and the parts that they were taken to.
    std::span<const std::pair<ValueId, bool>> truths() const { return truths_; }
    /// True if the value is the same in every iteration of every loop and depends on no written memory.
    bool is_steady(ValueId id, int depth = 0) const;

    /// True if the budget is spent; everything else counts as unknown.
    bool exhausted() const { return steps_ > budget_ || e_.full(); }
    void spend(std::size_t steps) { steps_ += steps; }

  private:
    static constexpr int max_depth = 24;  // operands followed for a range, conditions within conditions
    static constexpr int max_selects = 3;
    static constexpr std::size_t max_facts = 8;    // facts tried per atom
    static constexpr std::size_t max_claims = 12;  // comparisons in a claim

    struct Fact {
        Sum sum;
        Interval interval;
    };
    struct Known {
        Interval interval;
        std::uint64_t epoch = 0;  // of the knowledge from which it was computed
    };
    struct Undo {
        ValueId value;
        Known before;
    };
    struct Scope {
        std::size_t undo, facts, unequal, truths;
        std::uint64_t epoch;
    };

    Interval compute(ValueId id);
    Interval of_sum(const Sum& sum);
    Interval of_atom(ValueId id);
    Interval of_operation(const Value& value);
    Interval of_select(const Value& value);
    enum class Prefer : std::uint8_t { latest, earliest };  // of facts about as many terms
    std::optional<Interval> by_facts(const Sum& sum, Prefer prefer = Prefer::latest);
    struct Part {  // a fact's multiple that is part of a sum
        std::uint32_t fact;
        std::int64_t times;
    };
    std::optional<Part> best_fact(const Sum& sum, ValueId atom, Prefer prefer);
    void learn(const Sum& sum, Interval interval);
    void assume_comparison(const Value& value, bool truth);
    void assume_less(ValueId a, ValueId b, std::int64_t by);
    void assume_equal(ValueId a, ValueId b);
    void assume_unequal(ValueId a, ValueId b);
    void assume_choice(const Value& value, bool truth, int depth);
    std::optional<bool> plain_truth(ValueId condition, ValueId given, bool truth) const;
    Claim is_comparison(const Value& value, bool truth);
    bool is_integer(ValueId id) const {
        return values_[id].type == Scalar::i32 || values_[id].type == Scalar::u32;
    }

    Values& values_;
    Expressions& e_;
    Intervals intervals_;
    Extent3 size_;
    std::vector<Known> known_;  // by value
    std::vector<Undo> undo_;
    std::vector<Scope> scopes_;
    std::vector<Fact> facts_;
    std::vector<RangeComparison> unequal_;          // hold where control gets, though no interval shows it
    std::vector<std::pair<ValueId, bool>> truths_;  // in the order added
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> facts_about_;  // by leading atom
    std::unordered_map<std::uint32_t, bool> truth_;
    std::uint64_t epoch_ = 1, last_epoch_ = 1;
    std::size_t budget_, steps_ = 0;
    int depth_ = 0, selects_ = 0;
};

}  // namespace muster::ranges
