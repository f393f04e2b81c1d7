// sums.hpp - sums of many terms, in the order that docs/numbers.md states. Internal to graph/evaluate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <muster/graph/ir/sum_blocks.hpp>

namespace muster::graph {

/// Merges items, which come in the order of their numbers, by the binary tree over the numbers: 2, 4, 8, ...
/// items have what their lower half gives merged with what their upper half gives. Items that there aren't
/// are left out.
template <class T, class Merge = std::plus<T>>
class Tree {
  public:
    void add(T item) {
        for (std::size_t before = count_++; before % 2 == 1; before /= 2) item = merged_with(std::move(item));
        halves_.push_back(std::move(item));
    }
    /// Precondition: it has an item.
    T total() && {
        T item = std::move(halves_.back());
        halves_.pop_back();
        while (!halves_.empty()) item = merged_with(std::move(item));
        return item;
    }

  private:
    T merged_with(T upper) {
        T result = merge_(std::move(halves_.back()), std::move(upper));
        halves_.pop_back();
        return result;
    }

    Merge merge_ = {};
    std::vector<T> halves_;
    std::size_t count_ = 0;
};

/// The sum of term(i), i < count: term i is added to the partial sum i % 32 of its block of 1,024. Each
/// partial sum is then merged over the blocks by the tree, and these 32 by the tree.
template <class Term>
float row_sum(std::size_t count, Term&& term) {
    if (count == 0) return 0;
    Tree<float> places;
    for (std::size_t place = 0; place < std::min<std::size_t>(count, row_places); ++place) {
        Tree<float> blocks;
        for (std::size_t first = 0; first < count; first += row_block) {
            float sum = 0;
            for (std::size_t i = first + place; i < std::min(first + row_block, count); i += row_places)
                sum += term(i);
            blocks.add(sum);
        }
        places.add(std::move(blocks).total());
    }
    return std::move(places).total();
}

/// A product's sum: blocks, each of terms in order, that the tree merges. A block without terms is 0.
class ProductSum {
  public:
    /// The sum of the block of this number, which is the last one's or a later one.
    float& block(std::size_t number) {
        while (at_ < number) next();
        return sum_;
    }
    float total() && {
        next();
        return std::move(blocks_).total();
    }

  private:
    void next() {
        blocks_.add(std::exchange(sum_, 0.0f));
        ++at_;
    }

    Tree<float> blocks_;
    float sum_ = 0;
    std::size_t at_ = 0;
};

/// The product's sum of term(k), k < count.
template <class Term>
float product_sum(std::size_t count, Term&& term) {
    ProductSum sum;
    for (std::size_t k = 0; k < count; ++k) sum.block(k / product_block) += term(k);
    return std::move(sum).total();
}

/// The numbers of the blocks of a sum of `channels` terms for each of `taps`, so many of which are a row of the
/// window: one of all terms, if they are no more than a block's, or else those of each row, or of each tap, or
/// parts of these.
struct TapBlocks {
    std::size_t taps, row, channels;
    std::size_t block(std::size_t tap, std::size_t channel) const {
        if (taps * channels <= product_block) return 0;
        if (row * channels <= product_block) return tap / row;
        return tap * ((channels + product_block - 1) / product_block) + channel / product_block;
    }
};

}  // namespace muster::graph
