#include <algorithm>
#include <span>

#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/shape_data.hpp>
#include <muster/graph/infer/slice.hpp>
#include <muster/graph/ir/sizes.hpp>

// Contents that an operator here computes with an index out of bounds, a division by zero and the like stay
// unknown: who evaluates the node tells the error.
namespace muster::graph {
namespace {

using Contents = std::vector<Dimension>;

void follow_shape(Inference& node) {
    const Attributes& attributes = node.attributes();
    const auto end = attributes.has("end") ? std::optional(attributes.integer("end")) : std::nullopt;
    const auto [first, last] = shape_extent(attributes.integer("start"), end, node.rank(0));
    const Shape& shape = node.shape(0);
    node.set_contents({shape.begin() + static_cast<std::ptrdiff_t>(first),
                       shape.begin() + static_cast<std::ptrdiff_t>(last)});
}

void follow_gather(Inference& node) {
    const Contents *data = node.contents(0), *indices = node.contents(1);
    if (!data || !indices || node.rank(0) != 1) return;
    Contents result;
    for (const Dimension& index : *indices) {
        const auto size = static_cast<std::int64_t>(data->size());
        if (!index.is_number() || index.number() < -size || index.number() >= size) return;
        result.push_back(
            (*data)[static_cast<std::size_t>(index.number() < 0 ? index.number() + size : index.number())]);
    }
    node.set_contents(std::move(result));
}

void follow_concat(Inference& node) {
    Contents result;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (!node.contents(i) || node.rank(i) != 1) return;
        result.insert(result.end(), node.contents(i)->begin(), node.contents(i)->end());
    }
    node.set_contents(std::move(result));
}

/// A slice along one axis.
void follow_slice(Inference& node) {
    const Contents *data = node.contents(0), *starts = node.contents(1), *ends = node.contents(2);
    const Contents *axes = node.has(3) ? node.contents(3) : nullptr,
                   *steps = node.has(4) ? node.contents(4) : nullptr;
    const auto sizes = known_sizes(node.shape(0));
    if (!data || !sizes || sizes->empty() || !starts || !ends || starts->size() != 1 ||
        (node.has(3) && !axes) || (node.has(4) && !steps))
        return;
    const Dimension at = axes ? axes->front() : Dimension(0), step = steps ? steps->front() : Dimension(1);
    if (!starts->front().is_number() || !ends->front().is_number() || !step.is_number() || !at.is_number())
        return;
    const auto axis = axis_index(at.number(), sizes->size());
    if (!axis || std::ssize(*data) != product(*sizes)) return;
    const std::int64_t size = (*sizes)[*axis], inner = row_major_strides(*sizes)[*axis];
    const SliceAxis taken = slice_axis(size, starts->front().number(), ends->front().number(), step.number());
    Contents result;
    for (std::int64_t outer = 0; outer < product(std::span(*sizes).first(*axis)); ++outer) {
        for (std::int64_t i = 0; i < taken.count; ++i) {
            const auto from = data->begin() + (outer * size + taken.start + i * taken.step) * inner;
            result.insert(result.end(), from, from + inner);
        }
    }
    node.set_contents(std::move(result));
}

void follow_transpose(Inference& node) {
    const Contents* data = node.contents(0);
    const auto sizes = known_sizes(node.shape(0)), turned = known_sizes(node.output(0).type.shape);
    if (!data || !sizes || !turned || std::ssize(*data) != product(*sizes)) return;
    const auto perm = node.attributes().integers("perm");
    const Sizes strides = row_major_strides(*sizes);
    Contents result;
    for (std::int64_t i = 0; i < std::ssize(*data); ++i) {
        std::int64_t rest = i, from = 0;
        for (std::size_t axis = turned->size(); axis-- > 0; rest /= (*turned)[axis]) {
            const std::size_t source =
                perm.empty() ? turned->size() - 1 - axis : static_cast<std::size_t>(perm[axis]);
            from += rest % (*turned)[axis] * strides[source];
        }
        result.push_back((*data)[static_cast<std::size_t>(from)]);
    }
    node.set_contents(std::move(result));
}

void follow_split(Inference& node) {
    const Contents* data = node.contents(0);
    if (!data || node.rank(0) != 1) return;
    std::size_t first = 0;
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        const auto count = node.output(i).type.shape[0].known();
        if (!count || *count > static_cast<std::int64_t>(data->size() - first)) return;
        const auto begin = data->begin() + static_cast<std::ptrdiff_t>(first);
        node.set_contents({begin, begin + static_cast<std::ptrdiff_t>(*count)}, i);
        first += static_cast<std::size_t>(*count);
    }
}

void follow_negation(Inference& node) {
    const Contents* contents = node.contents(0);
    if (!contents || node.element(0) != ElementType::i64) return;
    Contents result;
    for (const Dimension& item : *contents) result.push_back(item * Dimension(-1));
    node.set_contents(std::move(result));
}

void follow_copy(Inference& node) {
    if (const Contents* contents = node.contents(0)) node.set_contents(*contents);
}

/// Follows the truth of each element: true if it isn't 0, and for Not if it is.
void follow_truth(Inference& node, bool is_inverted) {
    const Contents* contents = node.contents(0);
    if (!contents) return;
    Contents result;
    for (const Dimension& item : *contents)
        result.push_back(item.is_number() ? Dimension((item.number() != 0) != is_inverted ? 1 : 0)
                                          : Dimension::unknown());
    node.set_contents(std::move(result));
}

void follow_cast(Inference& node) {
    // Narrower types wrap.
    const ElementType to = node.output(0).type.element, from = node.element(0);
    if (to == ElementType::boolean) return follow_truth(node, false);
    if (to == ElementType::i64 || (to == ElementType::i32 && from != ElementType::i64))
        return follow_copy(node);
    if (to != ElementType::i32 || !node.contents(0)) return;
    for (const Dimension& item : *node.contents(0)) {
        if (item.is_number() && item.number() != static_cast<std::int32_t>(item.number())) return;
    }
    follow_copy(node);
}

Dimension quotient(const Dimension& a, const Dimension& b) {
    if (!a.is_number() || !b.is_number()) return exact_quotient(a, b);
    if (b.number() == 0 || b.number() == -1) return Dimension::unknown();
    return a.number() / b.number();
}

Dimension computed(Operator op, const Dimension& a, const Dimension& b) {
    if (op == Operator::add) return a + b;
    if (op == Operator::sub) return a + b * Dimension(-1);
    if (op == Operator::mul) return a * b;
    if (op == Operator::div) return quotient(a, b);
    const bool same = provably_equal(a, b);  // Equal
    return same || provably_different(a, b) ? Dimension(same ? 1 : 0) : Dimension::unknown();
}

/// Arithmetic of what has one element or as many as the other side; of i64, which dimensions are
/// computed in, and for Equal any.
void follow_arithmetic(Inference& node) {
    const Contents *a = node.contents(0), *b = node.contents(1);
    if (!a || !b || node.rank(0) > 1 || node.rank(1) > 1) return;
    if (node.op() != Operator::equal && node.element(0) != ElementType::i64) return;
    const std::size_t count = a->size() == 1 ? b->size() : a->size();
    if (b->size() != 1 && b->size() != count) return;
    Contents result;
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(computed(node.op(), (*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]));
    }
    node.set_contents(std::move(result));
}

void follow_where(Inference& node) {
    const Contents *condition = node.contents(0), *a = node.contents(1), *b = node.contents(2);
    if (!condition || !a || !b || condition->size() != a->size() || a->size() != b->size()) return;
    Contents result;
    for (std::size_t i = 0; i < a->size(); ++i) {
        const Dimension& chosen = (*condition)[i];
        result.push_back(!chosen.is_number()      ? Dimension::unknown()
                         : chosen == Dimension(0) ? (*b)[i]
                                                  : (*a)[i]);
    }
    node.set_contents(std::move(result));
}

void follow_constant_of_shape(Inference& node) {
    const Tensor* value = node.attributes().tensor("value");
    const Dimension count = element_count(node.output(0).type.shape);
    if (!value || is_float(value->element()) || !count.is_number() || count.number() > max_contents) return;
    node.set_contents(Contents(static_cast<std::size_t>(count.number()), integers(*value)[0]));
}

void follow_range(Inference& node) {
    const Contents *start = node.contents(0), *delta = node.contents(2);
    const Dimension count = node.output(0).type.shape[0];
    if (!start || !delta || !count.is_number() || count.number() > max_contents) return;
    if (node.element(0) != ElementType::i64) return;
    Contents result;
    Dimension next = start->front();
    for (std::int64_t i = 0; i < count.number(); ++i, next = next + delta->front()) result.push_back(next);
    node.set_contents(std::move(result));
}

}  // namespace

void infer_contents(Inference& node) {
    if (is_float(node.output(0).type.element)) return;
    const Operator op = node.op();
    using enum Operator;
    if (op == shape) follow_shape(node);
    if (op == gather) follow_gather(node);
    if (op == concat) follow_concat(node);
    if (op == slice) follow_slice(node);
    if (op == transpose) follow_transpose(node);
    if (op == split) follow_split(node);
    if (op == neg) follow_negation(node);
    if (op == squeeze || op == unsqueeze || op == reshape || op == identity || op == flatten)
        follow_copy(node);
    if (op == logical_not) follow_truth(node, true);
    if (op == cast && !is_float(node.element(0))) follow_cast(node);
    if (op == add || op == sub || op == mul || op == div || op == equal) follow_arithmetic(node);
    if (op == where) follow_where(node);
    if (op == constant_of_shape) follow_constant_of_shape(node);
    if (op == range) follow_range(node);
}

}  // namespace muster::graph
