#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>

#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/product_blocks.hpp>
#include <muster/graph/kernels/row_kernels.hpp>
#include <muster/graph/kernels/tile.hpp>
#include <muster/graph/kernels/tree_text.hpp>

namespace muster::graph {
namespace {

/// Rows of at least so many elements, that lie next to each other, have a workgroup each.
constexpr std::int64_t least_shared = 64;
/// Rows of more elements are cut into blocks where there are fewer workgroups than these.
constexpr std::int64_t most_uncut = 4 * row_block, enough_workgroups = 64;
/// Most terms that a workgroup keeps for each_element().
constexpr std::int64_t most_kept = 3072;

void declare(KernelText& text, const Fold& fold, const std::string& end) {
    for (const Fold::Part& part : fold.parts)
        text.line("var {}{} = {};", part.name, end,
                  is_float(part.element) ? literal(static_cast<float>(part.start), text)
                                         : fmt::format("i32({})", static_cast<std::int64_t>(part.start)));
}

TreeText tree_of(KernelText& text, const Fold& fold) {
    return {.declare = [&](const std::string& end) { declare(text, fold, end); },
            .merge = [&](const std::string& into, const std::string& from, const std::string&,
                         std::int64_t) { fold.merge(text, into, from); }};
}

class RowKernels {
  public:
    RowKernels(GroupLowering& group, const std::vector<std::size_t>& axes, const RowOperation& operation)
        : group_(group),
          operation_(operation),
          axes_(axes),
          from_(group.storage(group.input(0))),
          outer_(from_.sizes),
          inner_(from_.sizes.size(), 1) {
        for (const std::size_t axis : axes) {
            inner_[axis] = outer_[axis];
            outer_[axis] = 1;
        }
        length_ = product(inner_);
        rows_ = product(outer_);
        blocks_ = tiles(length_, row_block);
        step_ = merged_step();
        lies_along_ = least_stride(inner_) <= least_stride(outer_);
        for (const Fold& fold : operation.folds) given_ += static_cast<std::int64_t>(fold.gives.size());
    }

    void write() {
        if (length_ >= row_block && rows_ > 0 && length_ > (lies_along_ ? most_uncut : row_block) &&
            (lies_along_ ? rows_ : rows_ / row_places) < enough_workgroups)
            return cut();
        if (lies_along_ && length_ >= least_shared) return together();
        alone();
    }

  private:
    std::int64_t least_stride(const Sizes& sizes) const {
        std::int64_t least = INT64_MAX;
        for (std::size_t axis = 0; axis < sizes.size(); ++axis)
            if (sizes[axis] > 1) least = std::min(least, std::abs(from_.strides[axis]));
        return least;
    }

    /// The distance of a row's elements, if all are as far from each other.
    std::optional<std::int64_t> merged_step() const {
        std::int64_t step = 0, length = 1;
        for (std::size_t axis = inner_.size(); axis-- > 0;) {
            if (inner_[axis] == 1) continue;
            if (length > 1 && from_.strides[axis] != step * length) return std::nullopt;
            if (length == 1) step = from_.strides[axis];
            length *= inner_[axis];
        }
        return step;
    }

    static std::string at(const Storage& storage, const RowPlace& place) {
        return offset_of(place, storage.strides, storage.offset);
    }

    /// Declares the row of this number, and where its first element is.
    void begin_row(KernelText& text, const std::string& number) {
        x_ = text.operand(from_);
        row_ = text.indices_of(number, outer_);
        first_ = text.let(at(from_, row_));
    }
    RowPlace place_of(KernelText& text, const std::string& number) const {
        RowPlace place = text.indices_of(number, inner_);
        for (std::size_t axis = 0; axis < place.size(); ++axis)
            if (inner_[axis] == 1) place[axis] = row_[axis];
        return place;
    }
    std::string element(KernelText& text, const std::string& number) const {
        if (!step_) return text.let(text.load(x_, at(from_, place_of(text, number))));
        return text.let(text.load(x_, fmt::format("{} + {} * {}", first_, number, index_literal(*step_))));
    }
    void take(KernelText& text, const Fold& fold, const std::string& end, const std::string& number) const {
        std::string x = element(text, number);
        if (&fold == &operation_.folds.back()) {
            x = term(text, x);
            if (keeps_) text.line("kept[{}] = {};", number, x);
        }
        fold.take(text, end, x, number);
    }
    std::string term(KernelText& text, const std::string& x) const {
        return operation_.term.empty() ? x : text.let(fmt::format(fmt::runtime(operation_.term), x));
    }
    /// A loop over elements of the row.
    void take_each(KernelText& text, const Fold& fold, const std::string& end, const std::string& first,
                   const std::string& last, std::int64_t step) const {
        text.line("for (var k = {}; k < {}; k += {}u) {{", first, last, step);
        take(text, fold, end, "k");
        text.line("}");
    }
    std::string length() const { return index_literal(length_); }
    /// The end of a block.
    std::string last_of(const std::string& block) const {
        return end_of_block(fmt::format("{} * {}u", block, row_block), row_block, length_);
    }

    /// Merges the tree of these places, which `read` declares, into the parts with this end.
    void merge_places(KernelText& text, const Fold& fold, std::int64_t first, std::int64_t size,
                      std::int64_t count, const std::string& into,
                      const std::function<void(const std::string& end, std::int64_t place)>& read) const {
        if (size == 1) return read(into, first);
        merge_places(text, fold, first, size / 2, count, into, read);
        if (first + size / 2 >= count) return;
        const std::string other = fmt::format("_p{}", first + size / 2);
        merge_places(text, fold, first + size / 2, size / 2, count, other, read);
        fold.merge(text, into, other);
    }

    /// Folds a row in one invocation.
    void fold_alone(KernelText& text, const Fold& fold) const {
        if (!fold.is_sum || length_ == 0) {
            declare(text, fold, "");
            if (length_ > 0) take_each(text, fold, "", "0u", length(), 1);
        } else if (length_ <= fold.most_unrolled) {
            merge_places(text, fold, 0, row_places, std::min(length_, row_places), "",
                         [&](const std::string& end, std::int64_t place) {
                             declare(text, fold, end);
                             for (std::int64_t i = place; i < length_; i += row_places)
                                 take(text, fold, end, index_literal(i));
                         });
        } else {
            const TreeText tree = tree_of(text, fold);
            declare(text, fold, "");
            tree.write(text, "p", std::min(length_, row_places), "",
                       [&](const std::string& place, const std::string& of_place) {
                           tree.write(text, "b", blocks_, of_place,
                                      [&](const std::string& block, const std::string& end) {
                                          take_each(text, fold, end,
                                                    fmt::format("{} * {}u + {}", block, row_block, place),
                                                    last_of(block), row_places);
                                      });
                       });
        }
    }

    void alone() {
        KernelText text(32);
        text.each(rows_);
        begin_row(text, "i");
        for (const Fold& fold : operation_.folds) {
            fold_alone(text, fold);
            if (fold.finish) fold.finish(text);
        }
        if (operation_.element) {
            Elements elements(group_, text, group_.output());
            RowPlace place = row_;
            for (const std::size_t axis : axes_) {
                place[axis] = fmt::format("r{}", axis);
                text.line("for (var {0} = 0u; {0} < {1}; {0}++) {{", place[axis],
                          index_literal(inner_[axis]));
            }
            store(text, elements, term(text, text.let(text.load(x_, at(from_, place)))), place);
            for (std::size_t i = 0; i < axes_.size(); ++i) text.line("}");
        }
        if (operation_.row) operation_.row(text, row_);
        group_.add(std::move(text).finish());
    }

    void store(KernelText& text, Elements& elements, const std::string& x, const RowPlace& place) const {
        elements.store_at(place,
                          rounded(group_.element(group_.output()), operation_.element(text, x, place)));
    }

    /// Merges the parts of a workgroup's invocations, which end in "_own" and are the partial sums by place.
    void merge_lanes(KernelText& text, const Fold& fold) const {
        for (const Fold::Part& part : fold.parts) {
            text.function(fmt::format("var<workgroup> {}_of: array<{}, {}>;", part.name,
                                      is_float(part.element) ? "f32" : "i32", row_places));
            text.line("{0}_of[lane] = {0}_own;", part.name);
        }
        text.line("workgroupBarrier();");
        const auto read = [&](const std::string& end, const std::string& place) {
            for (const Fold::Part& part : fold.parts)
                text.line("var {0}{1} = {0}_of[{2}];", part.name, end, place);
        };
        if (fold.is_sum) {
            merge_places(
                text, fold, 0, row_places, row_places, "",
                [&](const std::string& end, std::int64_t place) { read(end, index_literal(place)); });
            return;
        }
        read("", "0u");
        text.line("for (var p = 1u; p < {}u; p++) {{", row_places);
        read("_p", "p");
        fold.merge(text, "", "_p");
        text.line("}");
    }

    /// A workgroup for each row.
    void together() {
        KernelText text(row_places);
        begin_row(text, "group.x");
        keeps_ = operation_.element && !operation_.term.empty() && length_ <= most_kept;
        if (keeps_) text.function(fmt::format("var<workgroup> kept: array<f32, {}>;", length_));
        for (const Fold& fold : operation_.folds) {
            const std::int64_t blocks = fold.is_sum ? blocks_ : 1;
            declare(text, fold, "_own");
            tree_of(text, fold)
                .write(text, "b", blocks, "_own", [&](const std::string& block, const std::string& end) {
                    if (blocks == 1)
                        take_each(text, fold, end, "lane", length(), row_places);
                    else
                        take_each(text, fold, end, fmt::format("{} * {}u + lane", block, row_block),
                                  last_of(block), row_places);
                });
            merge_lanes(text, fold);
            if (fold.finish) fold.finish(text);
        }
        if (operation_.element) {
            Elements elements(group_, text, group_.output());
            text.line("for (var k = lane; k < {}; k += {}u) {{", length(), row_places);
            const RowPlace place = place_of(text, "k");
            const auto load = [&] {
                return term(text, step_ ? element(text, "k") : text.let(text.load(x_, at(from_, place))));
            };
            store(text, elements, keeps_ ? text.let("kept[k]") : load(), place);
            text.line("}");
        }
        write_row(text);
        group_.add(std::move(text).finish({static_cast<std::uint32_t>(rows_), 1, 1}));
    }

    void write_row(KernelText& text) const {
        if (!operation_.row) return;
        text.line("if lane == 0u {");
        operation_.row(text, row_);
        text.line("}");
    }

    /// Kernels for each fold, of partial sums of blocks and of rows, and one for the elements.
    void cut() {
        given_storage_ = Storage::row_major(ElementType::f32, {std::max<std::int64_t>(given_, 1) * rows_});
        given_storage_.place = group_.scratch(given_storage_.count() * 4);
        for (std::size_t i = 0; i < operation_.folds.size(); ++i) {
            const Fold& fold = operation_.folds[i];
            std::vector<Storage> partial;
            for (const Fold::Part& part : fold.parts) {
                partial.push_back(Storage::row_major(part.element, {rows_ * blocks_ * row_places}));
                partial.back().place = group_.scratch(partial.back().count() * 4);
            }
            fold_blocks(i, partial);
            finish_fold(i, partial);
        }
        if (operation_.element) each_element();
    }

    /// Declares what the folds before this one gave of a row.
    void read_given(KernelText& text, std::size_t fold, const std::string& row) const {
        std::int64_t at = 0;
        for (std::size_t i = 0; i < fold; ++i)
            for (const std::string& name : operation_.folds[i].gives)
                text.line(
                    "let {} = {};", name,
                    text.load(text.operand(given_storage_),
                              fmt::format("{} * {} + {}", row, index_literal(given_), index_literal(at++))));
    }

    /// The place of a partial sum: those next to each other are of elements next to each other.
    std::string partial_at(const std::string& row, const std::string& block, const std::string& place) const {
        if (lies_along_)
            return fmt::format("({} * {} + {}) * {}u + {}", row, index_literal(blocks_), block, row_places,
                               place);
        return fmt::format("({} * {}u + {}) * {} + {}", block, row_places, place, index_literal(rows_), row);
    }

    void fold_blocks(std::size_t number, const std::vector<Storage>& partial) {
        const Fold& fold = operation_.folds[number];
        KernelText text(64);
        text.each(rows_ * blocks_ * row_places);
        const auto names = lies_along_ ? text.indices_of("i", {rows_, blocks_, row_places})
                                       : text.indices_of("i", {blocks_, row_places, rows_});
        const std::string row = names[lies_along_ ? 0 : 2], block = names[lies_along_ ? 1 : 0],
                          place = names[lies_along_ ? 2 : 1];
        begin_row(text, row);
        read_given(text, number, row);
        declare(text, fold, "");
        take_each(text, fold, "", fmt::format("{} * {}u + {}", block, row_block, place), last_of(block),
                  row_places);
        for (std::size_t i = 0; i < partial.size(); ++i)
            text.store(text.operand(partial[i]), "i", fold.parts[i].name);
        group_.add(std::move(text).finish());
    }

    void finish_fold(std::size_t number, const std::vector<Storage>& partial) {
        const Fold& fold = operation_.folds[number];
        KernelText text(row_places);
        begin_row(text, "group.x");
        read_given(text, number, "group.x");
        declare(text, fold, "_own");
        tree_of(text, fold)
            .write(text, "b", blocks_, "_own", [&](const std::string& block, const std::string& end) {
                for (std::size_t i = 0; i < partial.size(); ++i)
                    text.line("let {}_of_block = {};", fold.parts[i].name,
                              text.load(text.operand(partial[i]), partial_at("group.x", block, "lane")));
                fold.merge(text, end, "_of_block");
            });
        merge_lanes(text, fold);
        if (fold.finish) fold.finish(text);
        std::int64_t at = 0;
        for (std::size_t i = 0; i < number; ++i)
            at += static_cast<std::int64_t>(operation_.folds[i].gives.size());
        if (!fold.gives.empty()) {
            text.line("if lane == 0u {");
            for (const std::string& name : fold.gives)
                text.store(text.operand(given_storage_),
                           fmt::format("group.x * {} + {}", index_literal(given_), index_literal(at++)),
                           name);
            text.line("}");
        }
        if (number + 1 == operation_.folds.size()) write_row(text);
        group_.add(std::move(text).finish({static_cast<std::uint32_t>(rows_), 1, 1}));
    }

    void each_element() {
        KernelText text(256);
        Elements elements(group_, text, group_.output());
        RowPlace place;
        text.each_element(std::array{elements.inner()}, elements.inner(), &place);
        x_ = text.operand(from_);
        const std::string row = text.let(offset_of(place, row_strides(), 0));
        read_given(text, operation_.folds.size(), row);
        store(text, elements, term(text, text.let(text.load(x_, at(from_, place)))), place);
        group_.add(std::move(text).finish());
    }
    /// Strides that number the rows.
    Sizes row_strides() const {
        Sizes strides = row_major_strides(outer_);
        for (const std::size_t axis : axes_) strides[axis] = 0;
        return strides;
    }

    GroupLowering& group_;
    const RowOperation& operation_;
    const std::vector<std::size_t>& axes_;
    Storage from_;
    Sizes outer_, inner_;  // the sizes of a tensor of rows, and of a row: 1 on the others' axes
    std::int64_t length_ = 1, rows_ = 1, blocks_ = 1, given_ = 0;
    std::optional<std::int64_t> step_;
    bool lies_along_ = false, keeps_ = false;
    Storage given_storage_;
    OperandId x_;
    RowPlace row_;
    std::string first_;
};

}  // namespace

Fold sum_fold(const std::string& name, const std::string& term, ElementType element) {
    return {
        .parts = {{name, is_float(element) ? ElementType::f32 : ElementType::i32}},
        .is_sum = is_float(element),
        .take =
            [name, term](KernelText& text, const std::string& end, const std::string& x, const std::string&) {
                text.line("{0}{1} = {0}{1} + {2};", name, end, fmt::format(fmt::runtime(term), x));
            },
        .merge = [name](
                     KernelText& text, const std::string& into,
                     const std::string& from) { text.line("{0}{1} = {0}{1} + {0}{2};", name, into, from); }};
}

Fold extreme_fold(const std::string& name, std::string_view which, bool or_nan, ElementType element,
                  double start) {
    const auto of = [which = std::string(which), or_nan](KernelText& text, const std::string& a,
                                                         const std::string& b) {
        return or_nan ? extreme_or_nan(which, a, b, text) : fmt::format("{}({}, {})", which, a, b);
    };
    return {.parts = {{name, is_float(element) ? ElementType::f32 : ElementType::i32, start}},
            .take = [name, of](
                        KernelText& text, const std::string& end, const std::string& x,
                        const std::string&) { text.line("{}{} = {};", name, end, of(text, name + end, x)); },
            .merge =
                [name, of](KernelText& text, const std::string& into, const std::string& from) {
                    text.line("{}{} = {};", name, into, of(text, name + into, name + from));
                }};
}

void lower_rows(GroupLowering& group, const std::vector<std::size_t>& axes, const RowOperation& operation) {
    RowKernels(group, axes, operation).write();
}

}  // namespace muster::graph
