// shape.hpp - dimensions, which are numbers, symbols or products of both, and shapes and types of tensors.
//
//     const Dimension batch = Dimension::symbol("N");
//     const Shape images{batch, 3, 224, 224};
//     element_count(images) == batch * Dimension(150528)     // "150528*N"
//
// A dimension is a product of a number and symbols, or unknown: what inference can't express so (a sum with a
// symbol, a size that depends on data) is unknown. Symbols stand for numbers of at least 0; the same symbol
// is the same number everywhere in a graph. Threads: values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/graph/ir/element_type.hpp>

namespace muster::graph {

/// Most axes of a tensor, and most symbols of a product: chains of operators could double both without end.
inline constexpr std::size_t max_rank = 64, max_symbols = 64;

class Dimension {
  public:
    constexpr Dimension(std::int64_t number = 0) : factor_(number) {}  // NOLINT: implicit by purpose
    static Dimension symbol(std::string name);
    static Dimension unknown();

    bool is_unknown() const { return unknown_; }
    bool is_number() const { return !unknown_ && symbols_.empty(); }
    /// The number. Precondition: is_number().
    std::int64_t number() const { return factor_; }
    /// The number, or none.
    std::optional<std::int64_t> known() const { return is_number() ? std::optional(factor_) : std::nullopt; }

    /// The parts of the product: its number, and its symbols, sorted; one that is squared occurs twice.
    std::int64_t factor() const { return factor_; }
    std::span<const std::string> symbols() const { return symbols_; }

    /// The product; unknown if a side is, or if it exceeds 64 bits or max_symbols. 0 times anything is 0.
    friend Dimension operator*(const Dimension& a, const Dimension& b);
    /// The quotient if it is a product of a number and symbols again, e.g. 6*N*T / (2*N); else unknown.
    friend Dimension exact_quotient(const Dimension& a, const Dimension& b);
    /// The sum: of numbers, of multiples of the same symbols, or with 0; else unknown.
    friend Dimension operator+(const Dimension& a, const Dimension& b);

    /// True if both are written alike. Two unknown dimensions compare equal here, although they may
    /// differ: provably_equal().
    bool operator==(const Dimension&) const = default;

    /// "3", "N", "150528*N", "?".
    friend std::string to_string(const Dimension& dimension);

  private:
    std::int64_t factor_ = 0;
    bool unknown_ = false;
    std::vector<std::string> symbols_;
};

Dimension exact_quotient(const Dimension& a, const Dimension& b);
std::string to_string(const Dimension& dimension);

/// True if both are the same number whatever the symbols stand for.
inline bool provably_equal(const Dimension& a, const Dimension& b) { return !a.is_unknown() && a == b; }
/// True if no choice of the symbols makes both equal: two different numbers.
inline bool provably_different(const Dimension& a, const Dimension& b) {
    return a.is_number() && b.is_number() && a != b;
}

using Shape = std::vector<Dimension>;  // its length is the tensor's rank; of a scalar it is empty

/// The product of a shape's dimensions from `begin` up to `end`.
Dimension element_count(const Shape& shape, std::size_t begin, std::size_t end);
inline Dimension element_count(const Shape& shape) { return element_count(shape, 0, shape.size()); }
/// The dimensions as numbers, or none if one isn't a number.
std::optional<std::vector<std::int64_t>> known_sizes(const Shape& shape);
/// "[N, 3, 224, 224]".
std::string to_string(const Shape& shape);

struct TensorType {
    ElementType element = ElementType::f32;
    Shape shape;
    bool operator==(const TensorType&) const = default;
};
/// "f32[N, 3, 224, 224]".
std::string to_string(const TensorType& type);

}  // namespace muster::graph
