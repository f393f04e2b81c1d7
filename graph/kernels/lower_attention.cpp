#include <array>
#include <limits>
#include <optional>

#include <muster/graph/infer/attention.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/attention_text.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/product_blocks.hpp>

namespace muster::graph {
namespace {

enum Input : std::size_t { q, k, v, mask, past_key, past_value, padding };
enum ScoreOutput : std::int64_t { products, capped, with_bias, weights };  // qk_matmul_output_mode

/// Kernels for the scores, for what each block of keys makes of a query, and for what all blocks do, as the
/// evaluator computes them. A row is what is of one query of one head.
class AttentionKernels {
  public:
    explicit AttentionKernels(GroupLowering& group) : group_(group) {
        const auto shape = [&](std::size_t input) {
            const Sizes sizes = group.sizes(group.input(input));
            return Shape(sizes.begin(), sizes.end());
        };
        const std::optional<Shape> past = group.has(past_key) ? std::optional(shape(past_key)) : std::nullopt;
        const AttentionSizes sizes =
            attention_sizes(group.attributes(), shape(q), shape(k), shape(v), past ? &*past : nullptr);
        q_heads_ = sizes.q_heads.number();
        kv_heads_ = sizes.kv_heads.number();
        size_ = sizes.head.number();
        v_size_ = sizes.v_head.number();
        past_ = sizes.past.number();
        total_ = sizes.total.number();
        scores_ = Storage::row_major(ElementType::f32,
                                     {sizes.batch.number(), q_heads_, sizes.queries.number(), total_});
        scores_.place = group.scratch(std::max<std::int64_t>(scores_.count(), 1) * 4);
        rows_ = sizes.batch.number() * q_heads_ * scores_.sizes[2];
        blocks_ = std::max<std::int64_t>(tiles(total_, key_block), 1);
        queries_each_ = std::min(scores_.sizes[2], most_queries);
        largest_ = scratch(rows_ * blocks_);
        sums_ = scratch(rows_ * blocks_);
        if (blocks_ == 1) return;
        values_ = scratch(rows_ * blocks_ * v_size_);
        factors_ = scratch(rows_ * blocks_ * 2);
        all_ = scratch(rows_ * 2);
    }

    void write() {
        scores();
        block_sums();
        block_values();
        if (blocks_ > 1) {
            factors();
            merge_values();
        }
        if (writes_scores(weights)) weights_of_keys();
        if (group_.wants(1)) present(k, past_key, size_, 1);
        if (group_.wants(2)) present(v, past_value, v_size_, 2);
    }

  private:
    Storage scratch(std::int64_t count) {
        return Storage::row_major(ElementType::f32, {count},
                                  group_.scratch(std::max<std::int64_t>(count, 1) * 4));
    }
    Storage heads(std::size_t input, std::int64_t count, std::int64_t size) const {
        return heads_of(group_.storage(group_.input(input)), count, size);
    }
    bool writes_scores(ScoreOutput mode) const {
        return group_.wants(3) && group_.attributes().integer("qk_matmul_output_mode") == mode;
    }

    /// Declares a key's or value's element at [b, head, position, i], from the past or the new ones.
    std::string element(KernelText& text, std::size_t added, std::size_t before, std::int64_t size,
                        const std::string& b, const std::string& head, const std::string& position,
                        const std::string& i) {
        const Storage now = heads(added, kv_heads_, size);
        const OperandId here = text.operand(now);
        if (past_ == 0) return text.load(here, offset_at(now, {b, head, position, i}));
        const Storage then = group_.storage(group_.input(before));
        const OperandId old = text.operand(then);
        const std::string past = index_literal(past_);
        const std::string in_now = text.let(fmt::format("max({}, {}) - {}", position, past, past)),
                          in_past = text.let(fmt::format("min({}, {})", position, index_literal(past_ - 1)));
        return fmt::format("select({}, {}, {} < {})", text.load(here, offset_at(now, {b, head, in_now, i})),
                           text.load(old, offset_at(then, {b, head, in_past, i})), position, past);
    }

    std::string kv_head(const std::string& head) const {
        const std::int64_t group = q_heads_ / kv_heads_;
        return group == 1 ? head : fmt::format("({} / {})", head, index_literal(group));
    }

    /// Declares `bias`: what is added to the score of this query and key.
    void bias(KernelText& text, const std::vector<std::string>& index) {
        const Attributes attributes = group_.attributes();
        const bool has_padding = group_.has(padding);
        text.line("let key = i32({});", index[3]);
        if (has_padding) {
            const Storage counts = group_.storage(group_.input(padding));
            text.line("let nonpad = {};", text.load(text.operand(counts), offset_at(counts, {index[0]})));
            text.line("let position = i32({}) + nonpad - {};", index[2], scores_.sizes[2]);
        } else {
            text.line("let position = i32({}) + {};", index[2], past_);
        }
        std::string attended = has_padding ? "key < nonpad" : "true";
        const std::int64_t left = attributes.integer("left_window_size"),
                           right = attributes.integer("right_window_size");
        if (attributes.flag("is_causal")) attended += " && key <= position";
        if (left >= 0) attended += fmt::format(" && position - key <= {}", left);
        if (right >= 0) attended += fmt::format(" && key - position <= {}", right);
        const std::string nothing = literal(-std::numeric_limits<float>::infinity(), text);
        std::string value = "0.0f";
        if (group_.has(mask)) {
            const Storage given = group_.storage(group_.input(mask));
            const std::int64_t length = given.sizes.back();
            Sizes wide = scores_.sizes;
            wide.back() = length;
            const Storage all = broadcast_to(given, wide);
            std::vector<std::string> place = index;
            place[3] = text.let(fmt::format("min({}, {})", index[3], index_literal(length - 1)));
            value = text.load(text.operand(all), offset_at(all, place));
            if (!is_float(given.element)) value = fmt::format("select({}, 0.0f, {} != 0)", nothing, value);
            attended += fmt::format(" && key < {}", length);
        }
        text.line("let bias = select({}, {}, {});", nothing, value, attended);
    }

    /// Declares `scale`: the factor of queries and keys.
    void declare_scale(KernelText& text) const {
        const Attributes attributes = group_.attributes();
        text.line("let scale = sqrt({});",
                  attributes.has("scale")
                      ? literal(attributes.number("scale"), text)
                      : fmt::format("1.0f / sqrt({})", literal(static_cast<float>(size_), text)));
    }

    /// The keys times the scale, those of one element of a head next to each other.
    Storage scaled_keys() {
        Storage keys = Storage::row_major(ElementType::f32, {scores_.sizes[0], kv_heads_, size_, total_});
        keys.place = group_.scratch(std::max<std::int64_t>(keys.count(), 1) * 4);
        KernelText text(64);
        const OperandId to = text.operand(keys);
        std::vector<std::string> index;
        const std::string offset = text.each_element(std::array{to}, to, &index)[0];
        declare_scale(text);
        text.store(to, offset,
                   element(text, k, past_key, size_, index[0], index[1], index[3], index[2]) + " * scale");
        group_.add(std::move(text).finish());
        return keys;
    }

    /// A workgroup's invocations have one key each, and some queries of one head.
    void scores() {
        const bool copies_keys = scores_.sizes[2] >= most_queries;
        const Storage keys = copies_keys ? scaled_keys() : Storage();
        KernelText text(key_block);
        const OperandId to = text.operand(scores_);
        const Storage queries = heads(q, q_heads_, size_);
        const OperandId from = text.operand(queries);
        const std::vector<std::string> outer = text.indices_of("group.z", {scores_.sizes[0], q_heads_});
        text.line("let own_key = group.x * {}u + lane;", key_block);
        text.line("let read_key = min(own_key, {});", index_literal(total_ - 1));
        declare_scale(text);
        const auto query = [&](std::int64_t t) {
            return fmt::format("min(group.y * {}u + {}u, {})", queries_each_, t,
                               index_literal(scores_.sizes[2] - 1));
        };
        for (std::int64_t t = 0; t < queries_each_; ++t) {
            text.line("let query{} = {};", t, query(t));
            text.line("let q{} = {};", t,
                      offset_at(queries, {outer[0], outer[1], fmt::format("query{}", t), "0u"}));
            text.line("var score{} = 0.0f;", t);
        }
        tree_of_sums(text, "score", queries_each_)
            .write(text, "block", tiles(size_, product_block), "",
                   [&](const std::string& block, const std::string& end) {
                       const std::string first = text.let(fmt::format("{} * {}u", block, product_block));
                       each_of_block(text, first, product_block, size_, "e", [&] {
                           add_element(text, copies_keys ? &keys : nullptr, outer, from, end);
                       });
                   });
        text.line("if own_key < {} {{", index_literal(total_));
        for (std::int64_t t = 0; t < queries_each_; ++t) {
            text.line("if group.y * {}u + {}u < {} {{", queries_each_, t, index_literal(scores_.sizes[2]));
            text.line("var score = score{};", t);
            finish_score(text, to, {outer[0], outer[1], fmt::format("query{}", t), "own_key"});
            text.line("}");
        }
        text.line("}");
        group_.add(std::move(text).finish({static_cast<std::uint32_t>(tiles(total_, key_block)),
                                           static_cast<std::uint32_t>(tiles(scores_.sizes[2], queries_each_)),
                                           static_cast<std::uint32_t>(scores_.sizes[0] * q_heads_)}));
    }

    /// Adds the products of a head's element e to all queries' scores. `keys`: scaled ones, or null.
    void add_element(KernelText& text, const Storage* keys, const std::vector<std::string>& outer,
                     OperandId queries, const std::string& end) {
        const std::string head = kv_head(outer[1]);
        if (keys)
            text.line("let key_element = {};",
                      text.load(text.operand(*keys), offset_at(*keys, {outer[0], head, "e", "read_key"})));
        else
            text.line("let key_element = {} * scale;",
                      element(text, k, past_key, size_, outer[0], head, "read_key", "e"));
        for (std::int64_t t = 0; t < queries_each_; ++t)
            text.line("score{0}{1} = score{0}{1} + ({2} * scale) * key_element;", t, end,
                      text.load(queries, fmt::format("q{} + e * {}", t,
                                                     index_literal(text.storage(queries).strides[3]))));
    }

    /// cap * tanh(score / cap); + bias.
    void finish_score(KernelText& text, OperandId to, const std::vector<std::string>& index) {
        const auto keep = [&](ScoreOutput mode, std::string_view value) {
            if (!writes_scores(mode)) return;
            const Storage output = group_.storage(group_.output(3));
            text.store(text.operand(output), offset_at(output, index), rounded(output.element, value));
        };
        keep(products, "score");
        if (const float cap = group_.attributes().number("softcap"); cap > 0)
            text.line("score = tanh(score / {0}) * {0};", literal(cap, text));
        keep(capped, "score");
        bias(text, index);
        keep(with_bias, "score + bias");
        text.store(to, offset_at(scores_, index), "score + bias");
    }

    /// Writes the largest score of each row and block, where a NaN counts as infinity, and the sum of its weights.
    void block_sums() {
        KernelText text(32);
        const OperandId from = text.operand(scores_);
        text.each(rows_ * blocks_);
        text.line("let first = i % {} * {}u;", index_literal(blocks_), key_block);
        text.line("let begin = i / {} * {} + first;", index_literal(blocks_), index_literal(total_));
        text.line("let count = min({}u, {} - first);", key_block, index_literal(total_));
        text.line("var largest = {};", minus_infinity(text));
        text.line("for (var key = 0u; key < count; key++) {");
        text.line("let score = {};", text.load(from, "begin + key"));
        text.line("largest = max(largest, select(score, -{}, score != score));", minus_infinity(text));
        text.line("}");
        text.line("var sum = 0.0f;");
        tree_of_sums(text, "sum", 0)
            .write(text, "key", std::min(key_block, total_), "",
                   [&](const std::string& key, const std::string& end) {
                       text.line("if {} < count {{", key);
                       const std::string score = text.let(text.load(from, "begin + " + key));
                       text.line("sum{0} = sum{0} + {1};", end, weight_of_key(text, score, "largest"));
                       text.line("}");
                   });
        text.store(text.operand(largest_), "i", "largest");
        text.store(text.operand(sums_), "i", "sum");
        group_.add(std::move(text).finish());
    }

    /// Writes the weighted values of each row and block; the result, if there is one block. A workgroup has a block
    /// of keys and some queries of one head: each invocation makes the weights of a key, then sums of values.
    void block_values() {
        KernelText text(key_block);
        const OperandId from = text.operand(scores_), largest = text.operand(largest_);
        text.function(fmt::format("var<workgroup> weights: array<f32, {}>;", key_block * queries_each_));
        const std::vector<std::string> outer = text.indices_of("group.z", {scores_.sizes[0], q_heads_});
        text.line("let first = group.x * {}u;", key_block);
        text.line("let own_key = first + lane;");
        for (std::int64_t t = 0; t < queries_each_; ++t) {
            text.line("let query{} = min(group.y * {}u + {}u, {});", t, queries_each_, t,
                      index_literal(scores_.sizes[2] - 1));
            text.line("let row{0} = group.z * {1} + query{0};", t, index_literal(scores_.sizes[2]));
            const std::string score =
                text.let(text.load(from, fmt::format("row{} * {} + min(own_key, {})", t,
                                                     index_literal(total_), index_literal(total_ - 1))));
            const std::string of_block =
                text.let(text.load(largest, fmt::format("row{} * {} + group.x", t, index_literal(blocks_))));
            text.line("weights[{}u + lane] = select(0.0f, {}, own_key < {});", t * key_block,
                      weight_of_key(text, score, of_block), index_literal(total_));
        }
        text.line("workgroupBarrier();");
        text.line("for (var e = lane; e < {}; e += {}u) {{", index_literal(v_size_), key_block);
        for (std::int64_t t = 0; t < queries_each_; ++t) text.line("var value{} = 0.0f;", t);
        text.line("for (var i = 0u; i < min({}u, {} - first); i++) {{", key_block, index_literal(total_));
        text.line("let key = first + i;");
        const std::string value =
            text.let(element(text, v, past_value, v_size_, outer[0], kv_head(outer[1]), "key", "e"));
        for (std::int64_t t = 0; t < queries_each_; ++t)
            text.line("value{0} = value{0} + {1};", t,
                      weighted_value(text, fmt::format("weights[{}u + i]", t * key_block), value));
        text.line("}");
        const Storage result = heads_of(group_.storage(group_.output()), q_heads_, v_size_);
        for (std::int64_t t = 0; t < queries_each_; ++t) {
            text.line("if group.y * {}u + {}u < {} {{", queries_each_, t, index_literal(scores_.sizes[2]));
            const std::string of_block = fmt::format("row{} * {} + group.x", t, index_literal(blocks_));
            if (blocks_ > 1) {
                text.store(text.operand(values_),
                           fmt::format("({}) * {} + e", of_block, index_literal(v_size_)),
                           fmt::format("value{}", t));
            } else {
                const std::string sum = text.let(text.load(text.operand(sums_), of_block));
                store(text, result, {outer[0], outer[1], fmt::format("query{}", t), "e"},
                      fmt::format("value{}", t), sum);
            }
            text.line("}");
        }
        text.line("}");
        group_.add(std::move(text).finish({static_cast<std::uint32_t>(blocks_),
                                           static_cast<std::uint32_t>(tiles(scores_.sizes[2], queries_each_)),
                                           static_cast<std::uint32_t>(scores_.sizes[0] * q_heads_)}));
    }

    /// Stores an element of the result: a query that attends nothing has a sum of 0, and gives 0.
    static void store(KernelText& text, const Storage& result, const std::vector<std::string>& index,
                      const std::string& value, const std::string& sum) {
        text.store(text.operand(result), offset_at(result, index),
                   rounded(result.element, fmt::format("select({0} / {1}, 0.0f, {1} == 0.0f)", value, sum)));
    }

    /// Writes the largest score of each row and the sum of its weights, and the factors of both sides where the
    /// tree merges blocks: at the first block of the upper side.
    void factors() {
        KernelText text(32);
        const OperandId largest = text.operand(largest_), sums = text.operand(sums_),
                        factors = text.operand(factors_), all = text.operand(all_);
        text.each(rows_);
        const std::string blocks = index_literal(blocks_);
        const auto declare = [&](const std::string& end) {
            text.line("var largest{} = {};", end, minus_infinity(text));
            text.line("var sum{} = 0.0f;", end);
        };
        const TreeText tree{
            .declare = declare,
            .merge = [&](const std::string& into, const std::string& from, const std::string& first,
                         std::int64_t) {
                text.line("let both = max(largest{}, largest{});", into, from);
                text.line("let lower = {};", weight_of_key(text, "largest" + into, "both"));
                text.line("let upper = {};", weight_of_key(text, "largest" + from, "both"));
                text.store(factors, fmt::format("(i * {} + {}) * 2u", blocks, first), "lower");
                text.store(factors, fmt::format("(i * {} + {}) * 2u + 1u", blocks, first), "upper");
                text.line("sum{} = {} + {};", into, weighted_value(text, "lower", "sum" + into),
                          weighted_value(text, "upper", "sum" + from));
                text.line("largest{} = both;", into);
            }};
        declare("");
        tree.write(text, "block", blocks_, "", [&](const std::string& block, const std::string& end) {
            text.line("largest{} = {};", end, text.load(largest, fmt::format("i * {} + {}", blocks, block)));
            text.line("sum{} = {};", end, text.load(sums, fmt::format("i * {} + {}", blocks, block)));
        });
        text.store(all, "i * 2u", "largest");
        text.store(all, "i * 2u + 1u", "sum");
        group_.add(std::move(text).finish());
    }

    /// The result from the blocks' weighted values, by the factors.
    void merge_values() {
        KernelText text(64);
        const Storage result = heads_of(group_.storage(group_.output()), q_heads_, v_size_);
        const OperandId to = text.operand(result), values = text.operand(values_),
                        factors = text.operand(factors_), all = text.operand(all_);
        std::vector<std::string> index;
        text.each_element(std::array{to}, to, &index);
        const std::string row =
            text.let(fmt::format("({} * {} + {}) * {} + {}", index[0], index_literal(q_heads_), index[1],
                                 index_literal(scores_.sizes[2]), index[2]));
        const TreeText tree{
            .declare = [&](const std::string& end) { text.line("var value{} = 0.0f;", end); },
            .merge =
                [&](const std::string& into, const std::string& from, const std::string& first,
                    std::int64_t size) {
                    text.line("if ({} & {}u) == 0u {{ value{} = value{}; }} else {{", first, size, into,
                              from);
                    const auto factor = [&](std::string_view side) {
                        return text.load(factors, fmt::format("({} * {} + {}) * 2u{}", row,
                                                              index_literal(blocks_), first, side));
                    };
                    text.line("value{0} = {1} + {2};", into, weighted_value(text, factor(""), "value" + into),
                              weighted_value(text, factor(" + 1u"), "value" + from));
                    text.line("}");
                }};
        tree.declare("");
        tree.write(text, "block", blocks_, "", [&](const std::string& block, const std::string& end) {
            text.line("value{} = {};", end,
                      text.load(values, fmt::format("({} * {} + {}) * {} + {}", row, index_literal(blocks_),
                                                    block, index_literal(v_size_), index[3])));
        });
        store(text, result, index, "value", text.let(text.load(all, row + " * 2u + 1u")));
        group_.add(std::move(text).finish());
    }

    /// The fourth output as the weights of all keys.
    void weights_of_keys() {
        KernelText text(64);
        const OperandId from = text.operand(scores_);
        const Storage output = group_.storage(group_.output(3));
        std::vector<std::string> index;
        const std::string offset = text.each_element(std::array{from}, from, &index)[0];
        text.line("let row = {} / {};", offset, index_literal(total_));
        const bool is_one = blocks_ == 1;
        const std::string largest =
            is_one ? text.load(text.operand(largest_), "row") : text.load(text.operand(all_), "row * 2u");
        const std::string sum = text.let(is_one ? text.load(text.operand(sums_), "row")
                                                : text.load(text.operand(all_), "row * 2u + 1u"));
        store(text, output, index, weight_of_key(text, text.let(text.load(from, offset)), text.let(largest)),
              sum);
        group_.add(std::move(text).finish());
    }

    /// All keys or values: the past ones, then the new ones.
    void present(std::size_t added, std::size_t before, std::int64_t size, std::size_t output) {
        KernelText text(64);
        const Storage all = group_.storage(group_.output(output));
        const OperandId to = text.operand(all);
        std::vector<std::string> index;
        const std::string offset = text.each_element(std::array{to}, to, &index)[0];
        text.store(to, offset, element(text, added, before, size, index[0], index[1], index[2], index[3]));
        group_.add(std::move(text).finish());
    }

    GroupLowering& group_;
    std::int64_t q_heads_ = 0, kv_heads_ = 0, size_ = 0, v_size_ = 0, past_ = 0, total_ = 0;
    std::int64_t rows_ = 0, blocks_ = 1, queries_each_ = 1;
    Storage scores_;                                   // [batch, head, query, key]
    Storage largest_, sums_, values_, factors_, all_;  // of rows and blocks; of rows
};

}  // namespace

Result<void> lower_attention(GroupLowering& group) {
    AttentionKernels(group).write();
    return {};
}

}  // namespace muster::graph
