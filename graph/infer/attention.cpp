#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/attention.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

enum Input : std::size_t { q, k, v, mask, past_key, past_value, padding };

Result<void> expect_head_counts(const Inference& node) {
    const bool flat = node.rank(q) == 3;
    for (const std::string_view name : {"q_num_heads", "kv_num_heads"}) {
        if (!flat && !node.attributes().has(name)) continue;
        const std::int64_t heads = node.attributes().integer(name);
        if (!flat) {
            return wrong(
                fmt::format("It has an attribute {}, and inputs of rank 4 say the number of heads.", name));
        }
        if (heads < 1 || heads > max_elements)
            return wrong(fmt::format("Its attribute {} is {}.", name, heads));
    }
    return {};
}

Result<void> expect_same(const Inference& node, std::size_t input, std::string_view what, const Dimension& a,
                         const Dimension& b) {
    if (!provably_different(a, b)) return {};
    return wrong(fmt::format("{}: the {} is {}, and must be {}.", node.describe(input), what, to_string(a),
                             to_string(b)));
}

/// In inputs of rank 3, the last size is shared out among the heads.
Result<void> expect_whole_heads(const Inference& node) {
    if (node.rank(q) != 3) return {};
    for (const std::size_t input : {q, k, v}) {
        const std::int64_t heads = node.attributes().integer(input == q ? "q_num_heads" : "kv_num_heads");
        const auto size = node.shape(input)[2].known();
        if (size && *size % heads != 0)
            return wrong(fmt::format("{}, which {} heads don't divide.", node.describe(input), heads));
    }
    return {};
}

Result<void> expect_past(const Inference& node, const AttentionSizes& sizes) {
    if (node.has(past_key) != node.has(past_value))
        return wrong("It has one of past_key and past_value alone.");
    if (!node.has(past_key)) return {};
    if (node.has(padding)) return wrong("It has both nonpad_kv_seqlen and past keys.");
    for (const std::size_t input : {past_key, past_value}) {
        const Shape& shape = node.shape(input);
        TRY(expect_same(node, input, "batch", shape[0], sizes.batch));
        TRY(expect_same(node, input, "number of heads", shape[1], sizes.kv_heads));
        TRY(expect_same(node, input, "number of keys", shape[2], sizes.past));
        TRY(expect_same(node, input, "size of a head", shape[3],
                        input == past_key ? sizes.head : sizes.v_head));
    }
    return {};
}

/// The mask is broadcast, but for its last axis, which may be shorter than the keys.
Result<void> expect_mask(const Inference& node, const AttentionSizes& sizes) {
    if (!node.has(mask)) return {};
    Shape shape = node.shape(mask);
    if (shape.empty() || shape.size() > 4)
        return wrong(fmt::format("{}, and must have a rank of 1 to 4.", node.describe(mask)));
    const auto length = shape.back().known(), total = sizes.total.known();
    shape.back() = 1;
    const auto joint = broadcast(shape, {sizes.batch, sizes.q_heads, sizes.queries, 1});
    const bool grows = joint && (provably_different((*joint)[0], sizes.batch) ||
                                 provably_different((*joint)[1], sizes.q_heads) ||
                                 provably_different((*joint)[2], sizes.queries));
    if (joint && !grows && (!length || !total || *length <= *total)) return {};
    return wrong(fmt::format("{}, and can't be broadcast to {}.", node.describe(mask),
                             to_string(Shape{sizes.batch, sizes.q_heads, sizes.queries, sizes.total})));
}

Result<void> expect_attributes(const Inference& node) {
    const Attributes& attributes = node.attributes();
    for (const std::string_view name : {"left_window_size", "right_window_size"}) {
        if (attributes.integer(name) < -1)
            return wrong(fmt::format("Its attribute {} is {}, and must be at least -1.", name,
                                     attributes.integer(name)));
    }
    const std::int64_t mode = attributes.integer("qk_matmul_output_mode");
    if (mode < 0 || mode > 3)
        return wrong(fmt::format("Its attribute qk_matmul_output_mode is {}, and not 0 to 3.", mode));
    const std::int64_t precision = attributes.integer("softmax_precision");
    const auto type = element_type_by_onnx(precision);
    if (!attributes.has("softmax_precision") || (type && is_float(*type))) return {};
    return fail(
        ErrorCode::unsupported,
        fmt::format("Its attribute softmax_precision is ONNX's type {}, and only f32 (1) and f16 (10) are "
                    "supported: softmax is computed in f32.",
                    precision));
}

}  // namespace

AttentionSizes attention_sizes(const Attributes& attributes, const Shape& q, const Shape& k, const Shape& v,
                               const Shape* past) {
    AttentionSizes sizes{.flat = q.size() == 3, .batch = q[0]};
    if (sizes.flat) {
        sizes.q_heads = attributes.integer("q_num_heads");
        sizes.kv_heads = attributes.integer("kv_num_heads");
        sizes.queries = q[1];
        sizes.keys = k[1];
        sizes.head = exact_quotient(q[2], sizes.q_heads);
        sizes.v_head = exact_quotient(v[2], sizes.kv_heads);
    } else {
        sizes.q_heads = q[1];
        sizes.kv_heads = k[1];
        sizes.queries = q[2];
        sizes.keys = k[2];
        sizes.head = q[3];
        sizes.v_head = v[3];
    }
    sizes.past = past ? (*past)[2] : Dimension(0);
    sizes.total = sizes.past + sizes.keys;
    return sizes;
}

Result<void> infer_attention(Inference& node) {
    if (node.rank(q) != 3 && node.rank(q) != 4)
        return wrong(fmt::format("{}, and must have rank 3 or 4.", node.describe(q)));
    TRY(node.expect_rank(k, node.rank(q)));
    TRY(node.expect_rank(v, node.rank(q)));
    for (const std::size_t input : {past_key, past_value}) {
        if (node.has(input)) TRY(node.expect_rank(input, 4));
    }
    if (node.has(padding)) TRY(node.expect_rank(padding, 1));
    TRY(expect_head_counts(node));
    TRY(expect_whole_heads(node));
    TRY(expect_attributes(node));
    const AttentionSizes sizes =
        attention_sizes(node.attributes(), node.shape(q), node.shape(k), node.shape(v),
                        node.has(past_key) ? &node.shape(past_key) : nullptr);
    TRY(expect_same(node, k, "batch", node.shape(k)[0], sizes.batch));
    TRY(expect_same(node, v, "batch", node.shape(v)[0], sizes.batch));
    const std::size_t length_axis = sizes.flat ? 1 : 2;
    TRY(expect_same(node, v, "number of values", node.shape(v)[length_axis], sizes.keys));
    if (!sizes.flat) TRY(expect_same(node, v, "number of heads", node.shape(v)[1], sizes.kv_heads));
    TRY(expect_same(node, k, "size of a head",
                    sizes.flat ? exact_quotient(node.shape(k)[2], sizes.kv_heads) : node.shape(k)[3],
                    sizes.head));
    const auto q_heads = sizes.q_heads.known(), kv_heads = sizes.kv_heads.known();
    if (q_heads && kv_heads && (*kv_heads == 0 || *q_heads % *kv_heads != 0))
        return wrong(fmt::format("It has {} heads of queries, which {} heads of keys don't divide.", *q_heads,
                                 *kv_heads));
    TRY(expect_past(node, sizes));
    TRY(expect_mask(node, sizes));
    if (node.has(padding)) TRY(expect_same(node, padding, "length", node.shape(padding)[0], sizes.batch));
    node.set_shape(0, sizes.flat ? Shape{sizes.batch, sizes.queries, sizes.q_heads * sizes.v_head}
                                 : Shape{sizes.batch, sizes.q_heads, sizes.queries, sizes.v_head});
    node.set_shape(1, {sizes.batch, sizes.kv_heads, sizes.total, sizes.head});
    node.set_shape(2, {sizes.batch, sizes.kv_heads, sizes.total, sizes.v_head});
    node.set_shape(3, {sizes.batch, sizes.q_heads, sizes.queries, sizes.total});
    return {};
}

}  // namespace muster::graph
