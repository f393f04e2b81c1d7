#include <algorithm>
#include <array>

#include <muster/graph/kernels/bytes.hpp>

namespace muster::graph {
namespace {

bool is_of_bytes(ElementType element) { return element == ElementType::i8 || element == ElementType::u8; }

/// The byte of an element, from -128 to 127, in the low bits.
std::string byte_of(ElementType element, const std::string& x) {
    return element == ElementType::u8 ? fmt::format("(({} ^ 128) & 255)", x) : fmt::format("({} & 255)", x);
}

}  // namespace

bool QuantizedWeights::fit_bytes() const {
    return std::ranges::all_of(numbers, [](std::int32_t number) { return number >= -128 && number <= 127; });
}

std::vector<std::int32_t> QuantizedWeights::sums() const {
    std::vector<std::int32_t> result(scales.size());
    const std::int64_t below = row_major_strides(sizes)[axis];
    for (std::size_t i = 0; i < numbers.size(); ++i)
        result[i / static_cast<std::size_t>(below) % scales.size()] += numbers[i];
    return result;
}

Tensor QuantizedWeights::floats() const {
    std::vector<float> values(numbers.size());
    const std::int64_t below = row_major_strides(sizes)[axis];
    for (std::size_t i = 0; i < numbers.size(); ++i)
        values[i] =
            static_cast<float>(numbers[i]) * scales[i / static_cast<std::size_t>(below) % scales.size()];
    return Tensor::of<float>(sizes, std::span<const float>(values));
}

std::optional<NodeId> dequantized(const GroupLowering& group, std::size_t input) {
    if (!group.has(input)) return std::nullopt;
    const NodeId producer = group.graph().value(group.input(input)).producer;
    const bool is_within = producer && std::ranges::find(group.nodes(), producer) != group.nodes().end();
    if (!is_within || group.graph().node(producer).op != Operator::dequantize_linear) return std::nullopt;
    return producer;
}

std::optional<QuantizedActivations> activations_of(const GroupLowering& group, NodeId dequantize) {
    const auto inputs = group.graph().inputs(dequantize);
    if (!is_of_bytes(group.element(inputs[0])) || product(group.sizes(inputs[1])) != 1) return std::nullopt;
    return QuantizedActivations{group.storage(inputs[0]), inputs[1],
                                inputs.size() > 2 ? inputs[2] : ValueId()};
}

std::optional<QuantizedWeights> weights_of(const GroupLowering& group, NodeId dequantize, std::size_t axis) {
    const auto inputs = group.graph().inputs(dequantize);
    const Tensor* const weights = group.constant(inputs[0]);
    const Tensor* const scale = group.constant(inputs[1]);
    const bool has_zero = inputs.size() > 2 && inputs[2];
    const Tensor* const zero = has_zero ? group.constant(inputs[2]) : nullptr;
    if (!weights || !scale || (has_zero && !zero) || is_float(weights->element())) return std::nullopt;
    QuantizedWeights result{.sizes = {weights->sizes().begin(), weights->sizes().end()}, .axis = axis};
    const auto channels = static_cast<std::size_t>(result.sizes[axis]);
    const std::int64_t said = group.graph().attributes(dequantize).integer("axis");
    const auto rank = static_cast<std::int64_t>(result.sizes.size());
    if (scale->count() != 1 && (said < 0 ? said + rank : said) != static_cast<std::int64_t>(axis))
        return std::nullopt;
    const std::vector<float> scales = graph::floats(*scale);
    const std::vector<std::int64_t> zeros = zero ? integers(*zero) : std::vector<std::int64_t>{0};
    for (std::size_t i = 0; i < channels; ++i) result.scales.push_back(scales[scales.size() == 1 ? 0 : i]);
    const std::vector<std::int64_t> numbers = integers(*weights);
    const auto below = static_cast<std::size_t>(row_major_strides(result.sizes)[axis]);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::int64_t zero_point = zeros[zeros.size() == 1 ? 0 : i / below % channels];
        result.numbers.push_back(static_cast<std::int32_t>(numbers[i] - zero_point));
    }
    return result;
}

std::string zero_point_of(const GroupLowering& group, const QuantizedActivations& x, KernelText& text) {
    return x.zero_point ? text.let(group.first_element(x.zero_point, text)) : "0";
}

std::string packed_zero_point(const GroupLowering& group, const QuantizedActivations& x, KernelText& text) {
    const std::string zero = zero_point_of(group, x, text);
    return x.bytes.element == ElementType::u8 ? fmt::format("({} - 128)", zero) : zero;
}

void declare_scale(const GroupLowering& group, const QuantizedActivations& x, KernelText& text) {
    text.line("let x_scale = {};", group.first_element(x.scale, text));
    text.line("let x_zero = {};", zero_point_of(group, x, text));
}

void declare_correction(GroupLowering& group, const QuantizedActivations& x, const QuantizedWeights& weights,
                        std::string_view index, KernelText& text) {
    const OperandId sums =
        text.operand({.place = group.pack(packed_values(weights.sums())), .element = ElementType::i32});
    text.line("let correction = {} * {};", packed_zero_point(group, x, text), text.load(sums, index));
}

void declare_factor(GroupLowering& group, const QuantizedActivations& x, const QuantizedWeights& weights,
                    std::string_view index, KernelText& text) {
    const OperandId scales =
        text.operand({.place = group.pack(packed_values(weights.scales)), .element = ElementType::f32});
    text.line("let factor = {} * {};", group.first_element(x.scale, text), text.load(scales, index));
}

Storage pack_activations(GroupLowering& group, const QuantizedActivations& x, std::size_t axis,
                         bool channels_last, bool has_padding) {
    const std::int64_t elements = x.bytes.sizes[axis], words = (elements + 3) / 4;
    Sizes sizes = x.bytes.sizes;
    sizes[axis] = words;
    Storage packed = channels_last ? Storage::channels_last(ElementType::i32, sizes)
                                   : Storage::row_major(ElementType::i32, sizes);
    if (has_padding) packed.offset = packed.zero_count = words;
    packed.place = group.scratch((packed.count() + packed.offset) * stored_bytes(packed.element));
    {
        KernelText text(256);
        const OperandId from = text.operand(x.bytes), to = text.operand(packed);
        std::vector<std::string> at;
        const std::string offset = text.each_element(std::array{to}, to, &at)[0];
        const std::string first = text.let(fmt::format("{} * 4u", at[axis]));
        std::string word;
        for (int i = 0; i < 4; ++i) {
            // Beyond the axis' end weights are 0, so that any element does.
            at[axis] = text.let(fmt::format("min({} + {}u, {})", first, i, index_literal(elements - 1)));
            const std::string byte =
                byte_of(x.bytes.element, text.load(from, offset_of(at, x.bytes.strides, x.bytes.offset)));
            word += i == 0 ? byte : fmt::format(" | ({} << {}u)", byte, 8 * i);
        }
        text.store(to, offset, word);
        group.add(std::move(text).finish());
    }
    if (!has_padding) return packed;
    KernelText text(32);
    const OperandId to = text.operand(packed);
    text.each(words);
    text.store(to, "i",
               fmt::format("{} * 16843009", byte_of(x.bytes.element, zero_point_of(group, x, text))));
    group.add(std::move(text).finish());
    return packed;
}

}  // namespace muster::graph
