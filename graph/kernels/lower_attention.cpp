#include <array>
#include <limits>
#include <optional>

#include <muster/graph/infer/attention.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {
namespace {

enum Input : std::size_t { q, k, v, mask, past_key, past_value, padding };
enum ScoreOutput : std::int64_t { products, capped, with_bias, weights };  // qk_matmul_output_mode

/// A tensor of heads as [batch, head, position, i], whichever way they lie.
Storage heads_of(Storage storage, std::int64_t heads, std::int64_t size) {
    if (storage.sizes.size() == 4) return storage;
    const Sizes strides = storage.strides;
    storage.sizes = {storage.sizes[0], heads, storage.sizes[1], size};
    storage.strides = {strides[0], size * strides[2], strides[1], strides[2]};
    return storage;
}

/// Kernels for the scores, their softmax, and the weighted sums of values, as the evaluator computes them.
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
        weights_ = scores_;
        weights_.place = group.scratch(std::max<std::int64_t>(scores_.count(), 1) * 4);
    }

    void write() {
        scores();
        softmax();
        values();
        if (group_.wants(1)) present(k, past_key, size_, 1);
        if (group_.wants(2)) present(v, past_value, v_size_, 2);
    }

  private:
    static std::string at(const Storage& storage, const std::vector<std::string>& indices) {
        return offset_of(indices, storage.strides, storage.offset);
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
        if (past_ == 0) return text.load(here, at(now, {b, head, position, i}));
        const Storage then = group_.storage(group_.input(before));
        const OperandId old = text.operand(then);
        const std::string past = index_literal(past_);
        const std::string in_now = text.let(fmt::format("max({}, {}) - {}", position, past, past)),
                          in_past = text.let(fmt::format("min({}, {})", position, index_literal(past_ - 1)));
        return fmt::format("select({}, {}, {} < {})", text.load(here, at(now, {b, head, in_now, i})),
                           text.load(old, at(then, {b, head, in_past, i})), position, past);
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
            text.line("let nonpad = {};", text.load(text.operand(counts), at(counts, {index[0]})));
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
            value = text.load(text.operand(all), at(all, place));
            if (!is_float(given.element)) value = fmt::format("select({}, 0.0f, {} != 0)", nothing, value);
            attended += fmt::format(" && key < {}", length);
        }
        text.line("let bias = select({}, {}, {});", nothing, value, attended);
    }

    /// score = (q * s) * (k * s) summed over a head, s = sqrt(scale); cap * tanh(score / cap); + bias.
    void scores() {
        KernelText text(64);
        const OperandId to = text.operand(scores_);
        std::vector<std::string> index;
        const std::string offset = text.each_element(std::array{to}, to, &index)[0];
        const Attributes attributes = group_.attributes();
        const float head_size = static_cast<float>(size_);
        text.line("let scale = sqrt({});", attributes.has("scale")
                                               ? literal(attributes.number("scale"), text)
                                               : fmt::format("1.0f / sqrt({})", literal(head_size, text)));
        const Storage queries = heads(q, q_heads_, size_);
        const OperandId from = text.operand(queries);
        text.line("var score = 0.0f;");
        text.line("for (var e = 0u; e < {}; e++) {{", index_literal(size_));
        const std::string key = element(text, k, past_key, size_, index[0], kv_head(index[1]), index[3], "e");
        text.line("score = score + ({} * scale) * ({} * scale);",
                  text.load(from, at(queries, {index[0], index[1], index[2], "e"})), key);
        text.line("}");
        const auto keep = [&](ScoreOutput mode, std::string_view value) {
            if (!writes_scores(mode)) return;
            const Storage output = group_.storage(group_.output(3));
            text.store(text.operand(output), at(output, index), rounded(output.element, value));
        };
        keep(products, "score");
        if (const float cap = attributes.number("softcap"); cap > 0)
            text.line("score = tanh(score / {0}) * {0};", literal(cap, text));
        keep(capped, "score");
        bias(text, index);
        keep(with_bias, "score + bias");
        text.store(to, offset, "score + bias");
        group_.add(std::move(text).finish());
    }

    /// A query that attends nothing has weights of 0.
    void softmax() {
        KernelText text(32);
        const OperandId from = text.operand(scores_), to = text.operand(weights_);
        const std::optional<Storage> output =
            writes_scores(weights) ? std::optional(group_.storage(group_.output(3))) : std::nullopt;
        const std::optional<OperandId> shown = output ? std::optional(text.operand(*output)) : std::nullopt;
        text.each(scores_.count() / std::max<std::int64_t>(total_, 1));
        const std::string keys = index_literal(total_),
                          least = literal(-std::numeric_limits<float>::infinity(), text);
        const auto each_key = [&](std::string_view statement) {
            text.line("for (var key = 0u; key < {}; key++) {{ let score = {}; {} }}", keys,
                      text.load(from, fmt::format("i * {} + key", keys)), statement);
        };
        text.line("var largest = {};", least);
        each_key("largest = max(largest, score);");
        text.line("let attends = largest != {};", least);
        text.line("var sum = 0.0f;");
        each_key("sum = sum + exp(score - largest);");
        text.line("for (var key = 0u; key < {}; key++) {{", keys);
        text.line("let weight = select(0.0f, exp({} - largest) / sum, attends);",
                  text.load(from, fmt::format("i * {} + key", keys)));
        text.store(to, fmt::format("i * {} + key", keys), "weight");
        if (shown)
            text.store(*shown, fmt::format("{} + i * {} + key", index_literal(output->offset), keys),
                       rounded(output->element, "weight"));
        text.line("}");
        group_.add(std::move(text).finish());
    }

    void values() {
        KernelText text(64);
        const Storage result = heads_of(group_.storage(group_.output()), q_heads_, v_size_);
        const OperandId to = text.operand(result), from = text.operand(weights_);
        std::vector<std::string> index;
        const std::string offset = text.each_element(std::array{to}, to, &index)[0];
        text.line("var sum = 0.0f;");
        text.line("for (var key = 0u; key < {}; key++) {{", index_literal(total_));
        const std::string value =
            element(text, v, past_value, v_size_, index[0], kv_head(index[1]), "key", index[3]);
        text.line("sum = sum + {} * {};",
                  text.load(from, at(weights_, {index[0], index[1], index[2], "key"})), value);
        text.line("}");
        text.store(to, offset, rounded(result.element, "sum"));
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
    Storage scores_, weights_;
};

}  // namespace

Result<void> lower_attention(GroupLowering& group) {
    AttentionKernels(group).write();
    return {};
}

}  // namespace muster::graph
