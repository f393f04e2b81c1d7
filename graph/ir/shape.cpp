#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <muster/graph/ir/shape.hpp>

namespace muster::graph {

Dimension Dimension::symbol(std::string name) {
    Dimension dimension(1);
    dimension.symbols_.push_back(std::move(name));
    return dimension;
}

Dimension Dimension::unknown() {
    Dimension dimension;
    dimension.unknown_ = true;
    return dimension;
}

Dimension operator*(const Dimension& a, const Dimension& b) {
    if (a == Dimension(0) || b == Dimension(0)) return 0;
    Dimension product;
    if (a.unknown_ || b.unknown_ || a.symbols_.size() + b.symbols_.size() > max_symbols ||
        __builtin_mul_overflow(a.factor_, b.factor_, &product.factor_)) {
        return Dimension::unknown();
    }
    std::ranges::merge(a.symbols_, b.symbols_, std::back_inserter(product.symbols_));
    return product;
}

Dimension exact_quotient(const Dimension& a, const Dimension& b) {
    if (a.unknown_ || b.unknown_ || b.factor_ == 0 || b.factor_ == -1 || a.factor_ % b.factor_ != 0 ||
        !std::ranges::includes(a.symbols_, b.symbols_)) {
        return Dimension::unknown();
    }
    Dimension quotient(a.factor_ / b.factor_);
    std::ranges::set_difference(a.symbols_, b.symbols_, std::back_inserter(quotient.symbols_));
    return quotient;
}

Dimension operator+(const Dimension& a, const Dimension& b) {
    if (a == Dimension(0)) return b;
    if (b == Dimension(0)) return a;
    Dimension sum = a;
    if (a.unknown_ || b.unknown_ || a.symbols_ != b.symbols_ ||
        __builtin_add_overflow(a.factor_, b.factor_, &sum.factor_)) {
        return Dimension::unknown();
    }
    return sum.factor_ == 0 ? Dimension(0) : sum;
}

std::string to_string(const Dimension& dimension) {
    if (dimension.unknown_) return "?";
    if (dimension.symbols_.empty()) return fmt::to_string(dimension.factor_);
    const std::string product = fmt::to_string(fmt::join(dimension.symbols_, "*"));
    return dimension.factor_ == 1 ? product : fmt::format("{}*{}", dimension.factor_, product);
}

Dimension element_count(const Shape& shape, std::size_t begin, std::size_t end) {
    Dimension count(1);
    for (std::size_t i = begin; i < end; ++i) count = count * shape[i];
    return count;
}

std::optional<std::vector<std::int64_t>> known_sizes(const Shape& shape) {
    std::vector<std::int64_t> sizes;
    for (const Dimension& dimension : shape) {
        if (!dimension.is_number()) return std::nullopt;
        sizes.push_back(dimension.number());
    }
    return sizes;
}

std::string to_string(const Shape& shape) {
    std::string text = "[";
    for (const Dimension& dimension : shape) {
        if (text.size() > 1) text += ", ";
        text += to_string(dimension);
    }
    return text + "]";
}

std::string to_string(const TensorType& type) {
    return fmt::format("{}{}", name(type.element), to_string(type.shape));
}

}  // namespace muster::graph
