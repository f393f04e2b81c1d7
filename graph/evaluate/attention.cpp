#include <algorithm>
#include <limits>
#include <optional>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/evaluation.hpp>
#include <muster/graph/evaluate/sums.hpp>
#include <muster/graph/infer/attention.hpp>

namespace muster::graph {
namespace {

enum Input : std::size_t { q, k, v, mask, past_key, past_value, padding };
enum ScoreOutput : std::int64_t { products, capped, with_bias, weights };  // qk_matmul_output_mode

constexpr float infinity = std::numeric_limits<float>::infinity();

/// exp(score - largest), or 0 where that is below the normal numbers, which not every device has.
float weight(float score, float largest) {
    if (score == -infinity) return 0;
    const float weight = math::evaluate(Op::exp, score - largest);
    return weight < std::numeric_limits<float>::min() ? 0 : weight;
}
/// A value without weight adds nothing, whatever it is.
float weighted(float weight, float value) { return weight == 0 ? 0 : weight * value; }

/// The result of some keys for a query: the largest score, the sum of the weights relative to it, and the weighted
/// values. A NaN among the scores counts as an infinity here, and makes the sum a NaN.
struct Attended {
    float largest = -infinity, sum = 0;
    Floats values;
};

struct Merge {
    Attended operator()(Attended a, const Attended& b) const {
        const float largest = semantics::max(a.largest, b.largest);
        const float of_a = weight(a.largest, largest), of_b = weight(b.largest, largest);
        a.largest = largest;
        a.sum = weighted(of_a, a.sum) + weighted(of_b, b.sum);
        for (std::size_t i = 0; i < a.values.size(); ++i)
            a.values[i] = weighted(of_a, a.values[i]) + weighted(of_b, b.values[i]);
        return a;
    }
};

/// Elements by [batch, head, position, i], whichever way the heads lie.
struct Heads {
    std::int64_t heads = 0, length = 0, size = 0;
    bool flat = false;
    std::size_t at(std::int64_t batch, std::int64_t head, std::int64_t position, std::int64_t i) const {
        const std::int64_t row =
            flat ? (batch * length + position) * heads + head : (batch * heads + head) * length + position;
        return static_cast<std::size_t>(row * size + i);
    }
};

/// The keys or values of all positions: the past ones, then the new ones.
Floats joined(const Floats& past, std::int64_t past_length, const Floats& added, const Heads& of,
              std::int64_t batch) {
    const Heads before{of.heads, past_length, of.size}, all{of.heads, past_length + of.length, of.size};
    Floats result(static_cast<std::size_t>(batch * all.heads * all.length * all.size));
    for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t head = 0; head < of.heads; ++head) {
            for (std::int64_t position = 0; position < all.length; ++position) {
                for (std::int64_t i = 0; i < of.size; ++i) {
                    result[all.at(b, head, position, i)] =
                        position < past_length ? past[before.at(b, head, position, i)]
                                               : added[of.at(b, head, position - past_length, i)];
                }
            }
        }
    }
    return result;
}

class Attend {
  public:
    explicit Attend(Evaluation& node) : node_(node) {
        const auto shape = [&](std::size_t input) {
            const Sizes sizes = node.sizes(input);
            return Shape(sizes.begin(), sizes.end());
        };
        const std::optional<Shape> past = node.has(past_key) ? std::optional(shape(past_key)) : std::nullopt;
        const AttentionSizes sizes =
            attention_sizes(node.attributes(), shape(q), shape(k), shape(v), past ? &*past : nullptr);
        batch_ = sizes.batch.number();
        past_ = sizes.past.number();
        total_ = sizes.total.number();
        group_ = sizes.q_heads.number() / sizes.kv_heads.number();
        queries_ = {sizes.q_heads.number(), sizes.queries.number(), sizes.head.number(), sizes.flat};
        results_ = {sizes.q_heads.number(), sizes.queries.number(), sizes.v_head.number(), sizes.flat};
        const auto all = [&](std::size_t input, std::size_t before, std::int64_t size) {
            const Heads of{sizes.kv_heads.number(), sizes.keys.number(), size, sizes.flat};
            return joined(node.has(before) ? node.floats(before) : Floats{}, past_, node.floats(input), of,
                          batch_);
        };
        keys_ = all(k, past_key, queries_.size);
        values_ = all(v, past_value, results_.size);
        key_heads_ = {sizes.kv_heads.number(), total_, queries_.size};
        value_heads_ = {sizes.kv_heads.number(), total_, results_.size};
        if (node.has(padding)) padding_ = node.integers(padding);
        read_mask(sizes);
    }

    void run() {
        const Floats queries = node_.floats(q);
        Floats result(node_.output_elements(0)), scores;
        const float scale = semantics::sqrt(scale_of());
        for (std::int64_t b = 0; b < batch_; ++b) {
            for (std::int64_t head = 0; head < queries_.heads; ++head) {
                for (std::int64_t query = 0; query < queries_.length; ++query) {
                    const Floats row = score(queries, scale, b, head, query, scores);
                    const Attended all = attend(row, b, head);
                    for (std::int64_t i = 0; i < results_.size && all.sum != 0; ++i)
                        result[results_.at(b, head, query, i)] =
                            all.values[static_cast<std::size_t>(i)] / all.sum;
                    if (node_.attributes().integer("qk_matmul_output_mode") != weights) continue;
                    for (const float each : row)
                        scores.push_back(all.sum == 0 ? 0 : weight(each, all.largest) / all.sum);
                }
            }
        }
        node_.set(0, result);
        node_.set(1, keys_);
        node_.set(2, values_);
        node_.set(3, scores);
    }

  private:
    float scale_of() const {
        if (node_.attributes().has("scale")) return node_.attributes().number("scale");
        return 1 / semantics::sqrt(static_cast<float>(queries_.size));
    }

    void read_mask(const AttentionSizes& sizes) {
        if (!node_.has(mask)) return;
        Sizes of = node_.sizes(mask);
        mask_length_ = of.back();
        mask_at_ = broadcast_offsets(of, {batch_, sizes.q_heads.number(), queries_.length, mask_length_});
        if (node_.of_floats(mask)) {
            mask_ = node_.floats(mask);
            return;
        }
        for (const std::int64_t allowed : node_.integers(mask)) mask_.push_back(allowed ? 0 : -infinity);
    }

    /// The addend of the score of a query and a key: the mask's element, and -infinity
    /// for what isn't attended.
    float bias(std::int64_t b, std::int64_t head, std::int64_t query, std::int64_t key) const {
        const Attributes& attributes = node_.attributes();
        const std::int64_t nonpad = padding_.empty() ? total_ : padding_[static_cast<std::size_t>(b)];
        const std::int64_t position = query + (padding_.empty() ? past_ : nonpad - queries_.length);
        const std::int64_t left = attributes.integer("left_window_size"),
                           right = attributes.integer("right_window_size");
        const bool attended = (!attributes.flag("is_causal") || key <= position) && key < nonpad &&
                              (left < 0 || position - key <= left) && (right < 0 || key - position <= right);
        if (!attended) return -infinity;
        if (mask_at_.empty()) return 0;
        if (key >= mask_length_) return -infinity;
        const std::int64_t row = (b * queries_.heads + head) * queries_.length + query;
        return mask_[mask_at_[static_cast<std::size_t>(row * mask_length_ + key)]];
    }

    /// The scores of all keys; those that aren't attended have -infinity.
    Floats score(const Floats& queries, float scale, std::int64_t b, std::int64_t head, std::int64_t query,
                 Floats& scores) const {
        const std::int64_t mode = node_.attributes().integer("qk_matmul_output_mode");
        const float cap = node_.attributes().number("softcap");
        Floats row;
        for (std::int64_t key = 0; key < total_; ++key) {
            float score = product_sum(static_cast<std::size_t>(queries_.size), [&](std::size_t i) {
                const auto at = static_cast<std::int64_t>(i);
                return (queries[queries_.at(b, head, query, at)] * scale) *
                       (keys_[key_heads_.at(b, head / group_, key, at)] * scale);
            });
            if (mode == products) scores.push_back(score);
            if (cap > 0) score = math::evaluate(Op::tanh, score / cap) * cap;
            if (mode == capped) scores.push_back(score);
            row.push_back(score + bias(b, head, query, key));
        }
        if (mode == with_bias) scores.insert(scores.end(), row.begin(), row.end());
        return row;
    }

    /// Blocks of keys by their positions, which the tree merges.
    Attended attend(const Floats& row, std::int64_t b, std::int64_t head) const {
        Tree<Attended, Merge> blocks;
        for (std::int64_t first = 0; first < std::max<std::int64_t>(total_, 1); first += key_block)
            blocks.add(attend_block(row, first, std::min(first + key_block, total_), b, head / group_));
        return std::move(blocks).total();
    }

    Attended attend_block(const Floats& row, std::int64_t first, std::int64_t last, std::int64_t b,
                          std::int64_t head) const {
        Attended block{.values = Floats(static_cast<std::size_t>(results_.size))};
        for (std::int64_t key = first; key < last; ++key) {
            const float score = row[static_cast<std::size_t>(key)];
            block.largest = semantics::max(block.largest, semantics::is_nan(score) ? infinity : score);
        }
        Tree<float> sum;
        for (std::int64_t key = first; key < last; ++key) {
            const float of_key = weight(row[static_cast<std::size_t>(key)], block.largest);
            sum.add(of_key);
            for (std::int64_t i = 0; i < results_.size; ++i)
                block.values[static_cast<std::size_t>(i)] +=
                    weighted(of_key, values_[value_heads_.at(b, head, key, i)]);
        }
        if (first < last) block.sum = std::move(sum).total();
        return block;
    }

    Evaluation& node_;
    std::int64_t batch_ = 0, past_ = 0, total_ = 0, group_ = 1, mask_length_ = 0;
    Heads queries_, results_, key_heads_, value_heads_;
    Floats keys_, values_, mask_;
    Integers padding_;
    std::vector<std::size_t> mask_at_;
};

}  // namespace

/// A query's score for a key is (q * s) * (k * s) summed over a head, with s = sqrt(scale); then cap *
/// tanh(score / cap); then the bias is added. docs/numbers.md says how keys are weighed.
Result<void> evaluate_attention(Evaluation& node) {
    Attend(node).run();
    return {};
}

}  // namespace muster::graph
