// matrices.hpp - the elements of MatMul's result, and the elements of both sides that each sums over.
// Internal to graph/evaluate.
#pragma once

#include <algorithm>

#include <muster/graph/evaluate/evaluation.hpp>

namespace muster::graph {

struct Matrices {
    struct Element {
        std::size_t a_at, b_at, b_step, row, column;  // row and column within the matrix
        std::size_t a(std::size_t k) const { return a_at + k; }
        std::size_t b(std::size_t k) const { return b_at + k * b_step; }
    };

    /// NumPy's rule: a side of one axis is a row or a column; the axes before the last two are broadcast.
    Matrices(Sizes a, Sizes b) {
        if (a.size() == 1) a.insert(a.begin(), 1);
        if (b.size() == 1) b.push_back(1);
        rows = static_cast<std::size_t>(a[a.size() - 2]);
        depth = static_cast<std::size_t>(a.back());
        columns = static_cast<std::size_t>(b.back());
        a.resize(a.size() - 2);
        b.resize(b.size() - 2);
        Sizes batch(std::max(a.size(), b.size()), 1);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const std::int64_t of_a = i < a.size() ? a[a.size() - 1 - i] : 1,
                               of_b = i < b.size() ? b[b.size() - 1 - i] : 1;
            batch[batch.size() - 1 - i] = of_a == 1 ? of_b : of_a;
        }
        batch_a = broadcast_offsets(a, batch);
        batch_b = broadcast_offsets(b, batch);
    }

    template <class Step>
    void for_each(Step&& step) const {
        for (std::size_t i = 0; i < batch_a.size(); ++i) {
            for (std::size_t row = 0; row < rows; ++row) {
                for (std::size_t column = 0; column < columns; ++column) {
                    step(Element{(batch_a[i] * rows + row) * depth, batch_b[i] * depth * columns + column,
                                 columns, row, column});
                }
            }
        }
    }

    std::size_t rows, columns, depth;
    std::vector<std::size_t> batch_a, batch_b;
};

}  // namespace muster::graph
