// knowledge.hpp - what is known of values at a place in the program: which branches led there, and so in which
// interval each value lies. Internal to the analysis of ranges.
//
// A fact says that some integer congruent to a sum, modulo 2^32, lies in an interval. Facts are learned by
// assume() and forgotten when the scope that they were learned in is left.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include <muster/foundation/analysis/ranges/values.hpp>

namespace muster::ranges {

/// A conjunction: empty where something holds always; absent where nothing shows it.
using Claim = std::optional<std::vector<RangeComparison>>;

class Knowledge {
  public:
    /// Looks at about so much: ranges of values, facts.
    Knowledge(Values& values, Expressions& expressions, Extent3 workgroup_size, std::size_t budget)
        : values_(values), e_(expressions), intervals_(expressions), size_(workgroup_size), budget_(budget) {}

    void enter();
    void leave();

    /// From here on, to the end of the scope, the condition is `truth`.
    void assume(ValueId condition, bool truth, int depth = 0);
    /// ... the integer is at least and at most.
    void assume_within(ValueId integer, Interval interval);
    /// The interval of an opaque value was set anew.
    void changed() { epoch_ = ++last_epoch_; }

    /// Of an integer, as its type reads it: the ends are in the type's range.
    Interval range(ValueId integer);

    /// What shows that a <= b, that an integer is at least 0 and less than `count`, and that a condition is
    /// `truth`.
    Claim at_most(Expression a, Expression b);
    Claim in_bounds(ValueId index, Expression count);
    Claim is(ValueId condition, bool truth, int depth = 0);
    static Claim both(Claim a, Claim b);
    /// The same or stronger, and simpler: that values don't leave their types is a comparison of its own.
    Claim plain(const Claim& claim);
    /// Made of what is the same in every turn of every loop, and of no memory that is written.
    bool is_steady(ValueId id, int depth = 0) const;

    /// So much was looked at that the rest is to count as unknown.
    bool exhausted() const { return steps_ > budget_ || e_.full(); }
    void spend(std::size_t steps) { steps_ += steps; }

  private:
    static constexpr int max_depth = 24;  // of operands looked at for a range, of conditions
    static constexpr int max_selects = 3;
    static constexpr std::size_t max_facts = 8;    // about one atom that are tried
    static constexpr std::size_t max_claims = 12;  // comparisons in a claim

    struct Fact {
        Sum sum;
        Interval interval;
    };
    struct Known {
        Interval interval;
        std::uint64_t epoch = 0;  // what was known then
    };
    struct Undo {
        ValueId value;
        Known before;
    };
    struct Scope {
        std::size_t undo, facts, truths;
        std::uint64_t epoch;
    };

    Interval compute(ValueId id);
    Interval of_sum(const Sum& sum);
    Interval of_atom(ValueId id);
    Interval of_operation(const Value& value);
    Interval of_select(const Value& value);
    std::optional<Interval> by_facts(const Sum& sum);
    struct Part {  // a fact, so many times, is a part of a sum
        std::uint32_t fact;
        std::int64_t times;
    };
    std::optional<Part> best_fact(const Sum& sum, ValueId atom);
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
    std::uint32_t axis_size(std::uint32_t axis) const {
        return axis == 0 ? size_.x : axis == 1 ? size_.y : size_.z;
    }

    Values& values_;
    Expressions& e_;
    Intervals intervals_;
    Extent3 size_;
    std::vector<Known> known_;  // by value
    std::vector<Undo> undo_;
    std::vector<Scope> scopes_;
    std::vector<Fact> facts_;
    std::vector<std::pair<ValueId, bool>> truths_;                               // in the order learned
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> facts_about_;  // by leading atom
    std::unordered_map<std::uint32_t, bool> truth_;
    std::uint64_t epoch_ = 1, last_epoch_ = 1;
    std::size_t budget_, steps_ = 0;
    int depth_ = 0, selects_ = 0;
};

}  // namespace muster::ranges
