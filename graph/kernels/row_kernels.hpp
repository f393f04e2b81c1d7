// row_kernels.hpp - kernels over rows: the elements of a tensor along some axes, in row-major order. A row is
// folded, once or several times, to numbers; then something becomes of each of its elements, or of the row.
// Internal to graph/kernels.
//
//     RowOperation sum{.folds = {sum_fold("sum", "{0}")}};
//     sum.row = [&](KernelText& text, const RowPlace& at) {
//         Elements(group, text, group.output()).store_at(at, "sum");
//     };
//     lower_rows(group, axes, sum);
//
// Sums are in the order that docs/numbers.md states for rows. Rows that are short, or next to each other in
// memory, have an invocation each; others a workgroup each; and the blocks of a few long ones are folded by
// themselves, and merged by a kernel of their own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <muster/graph/ir/sum_blocks.hpp>
#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {

/// Numbers that a row's elements are folded to. The names of all folds of an operation differ.
struct Fold {
    struct Part {
        std::string name;
        ElementType element = ElementType::f32;  // or i32
        double start = 0;                        // of its type; merged with anything, it gives that
    };
    std::vector<Part> parts;
    /// True if the order shows in the bits.
    bool is_sum = false;
    /// A sum of so few elements has no loop.
    std::int64_t most_unrolled = 64;
    /// Writes how the parts, whose names have `end` behind them, take the element x of this number.
    std::function<void(KernelText& text, const std::string& end, const std::string& x,
                       const std::string& number)>
        take;
    /// Writes how the parts with one end take those with another.
    std::function<void(KernelText& text, const std::string& into, const std::string& from)> merge;
    /// Declares `gives`, of f32, from the parts.
    std::function<void(KernelText& text)> finish;
    std::vector<std::string> gives;
};

/// The sum of a term for each element, {0}.
Fold sum_fold(const std::string& name, const std::string& term, ElementType element = ElementType::f32);
/// The greatest of all elements ("max") or the least ("min"): a NaN if one is, or else as max() and min() have
/// it.
Fold extreme_fold(const std::string& name, std::string_view which, bool or_nan, ElementType element,
                  double start);

/// Where a kernel is: an index for each axis; of a row, 0 on the row's own axes.
using RowPlace = std::vector<std::string>;

struct RowOperation {
    std::vector<Fold> folds;
    /// The text that the last fold and `element` take in the place of an element, {}; or empty.
    std::string term;
    /// The value that becomes of the element x, for the group's element-wise nodes and output; or null.
    std::function<std::string(KernelText& text, const std::string& x, const RowPlace& at)> element;
    /// Writes what becomes of a row; or null.
    std::function<void(KernelText& text, const RowPlace& at)> row;
};

/// Adds the kernels of an operation on the group's first input.
void lower_rows(GroupLowering& group, const std::vector<std::size_t>& axes, const RowOperation& operation);

}  // namespace muster::graph
