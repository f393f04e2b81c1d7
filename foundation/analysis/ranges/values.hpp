// values.hpp - value numbering of the integers and booleans that a program computes: equal ids mean equal
// values. Internal to the range analysis.
//
// A value is one scalar; a vector has one per component. Every integer is also represented as a sum of atoms
// with constant factors, modulo 2^32, as far as add, sub, products with constants and conversions between i32
// and u32 build it; an atom is a value that isn't built that way.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <muster/foundation/analysis/ranges/intervals.hpp>
#include <muster/foundation/base/intern_table.hpp>

namespace muster::ranges {

inline std::uint32_t along(Extent3 of, std::uint32_t axis) {
    return axis == 0 ? of.x : axis == 1 ? of.y : of.z;
}

struct ValueId {
    std::uint32_t index = UINT32_MAX;
    constexpr auto operator<=>(const ValueId&) const = default;
    constexpr explicit operator bool() const { return index != UINT32_MAX; }
};

enum class ValueKind : std::uint8_t {
    constant,        // payload: the bits
    local_id,        // in axis `payload`
    workgroup_id,    // in axis `payload`
    num_workgroups,  // in axis `payload`
    symbol,          // payload: the expression
    opaque,          // payload: its number; its interval was given when it was made, or set since
    operation,       // op of operands
    choice,          // for booleans: operand 0 ? operand 1 : operand 2
};

struct Value {
    ValueKind kind = ValueKind::opaque;
    Op op = Op::constant;
    Scalar type = Scalar::u32;
    std::uint32_t payload = 0;
    std::array<ValueId, 3> operands = {};
    bool operator==(const Value&) const = default;
};

/// constant + sum of factor * atom, modulo 2^32. Atoms are in ascending order; no factor is zero.
struct Sum {
    static constexpr std::size_t max_terms = 6;
    struct Term {
        ValueId atom;
        std::uint32_t factor = 0;
    };
    std::uint32_t constant = 0;
    std::uint32_t count = 0;
    std::array<Term, max_terms> all = {};
    std::span<const Term> terms() const { return std::span(all).first(count); }
};

/// Adds factor * b to a; returns false and leaves a unchanged if the result has too many terms.
bool add_scaled(Sum& a, const Sum& b, std::uint32_t factor);

class Values {
  public:
    ValueId constant(std::uint32_t bits, Scalar type) {
        return intern({.kind = ValueKind::constant, .type = type, .payload = bits});
    }
    /// A new value of which only the interval is known.
    ValueId opaque(Scalar type, Interval interval);
    ValueId atom(ValueKind kind, std::uint32_t payload, Scalar type = Scalar::u32) {
        return intern({.kind = kind, .type = type, .payload = payload});
    }
    ValueId operation(Op op, Scalar type, ValueId a, ValueId b = {}, ValueId c = {});
    ValueId choice(ValueId condition, ValueId then, ValueId otherwise);
    ValueId logical_not(ValueId a) { return operation(Op::logical_not, Scalar::boolean, a); }

    const Value& operator[](ValueId id) const { return all_[id.index]; }
    const Sum& sum(ValueId id) const { return sums_[id.index]; }
    bool is_atom(ValueId id) const;
    const Interval& interval(ValueId opaque) const { return intervals_[all_[opaque.index].payload]; }
    void set_interval(ValueId opaque, Interval to) { intervals_[all_[opaque.index].payload] = to; }
    std::size_t count() const { return all_.size(); }

  private:
    ValueId intern(const Value& value);
    Sum sum_of(ValueId id) const;

    std::vector<Value> all_;
    std::vector<Sum> sums_;
    std::vector<Interval> intervals_;  // by an opaque value's payload
    InternTable known_;
};

}  // namespace muster::ranges
