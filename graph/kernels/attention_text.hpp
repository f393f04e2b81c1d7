// attention_text.hpp - what the kernels of attention are written with: how heads lie, and how a key is weighed
// (docs/numbers.md). Internal to graph/kernels.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <muster/graph/ir/sum_blocks.hpp>
#include <muster/graph/kernel_text/kernel_text.hpp>

namespace muster::graph {

/// A tensor of heads as [batch, head, position, i], whichever way they lie.
inline Storage heads_of(Storage storage, std::int64_t heads, std::int64_t size) {
    if (storage.sizes.size() == 4) return storage;
    const Sizes strides = storage.strides;
    storage.sizes = {storage.sizes[0], heads, storage.sizes[1], size};
    storage.strides = {strides[0], size * strides[2], strides[1], strides[2]};
    return storage;
}

/// The queries whose rows an invocation or a workgroup goes over together.
inline constexpr std::int64_t most_queries = 4;

/// As the evaluator weighs a key, and merges blocks (docs/numbers.md).
inline constexpr std::string_view weight_function =
    "fn weight(score: f32, largest: f32) -> f32 {\n"
    "    let of_key = exp(score - largest);\n"
    "    return select(of_key, 0.0f, (of_key < f32(0x1p-126f)) | (score == from_bits(4286578688u)));\n}";
inline constexpr std::string_view weighted_function =
    "fn weighted(weight: f32, value: f32) -> f32 { return select(weight * value, 0.0f, weight == 0.0f); }";

inline std::string minus_infinity(KernelText& text) {
    return literal(-std::numeric_limits<float>::infinity(), text);
}
/// The weight of a score, or of what is relative to one largest score where another one is the largest.
inline std::string weight_of_key(KernelText& text, const std::string& score, const std::string& largest) {
    (void)minus_infinity(text);  // declares from_bits()
    text.function(weight_function);
    return fmt::format("weight({}, {})", score, largest);
}
inline std::string weighted_value(KernelText& text, const std::string& of, const std::string& value) {
    text.function(weighted_function);
    return fmt::format("weighted({}, {})", of, value);
}
inline std::string offset_at(const Storage& storage, const std::vector<std::string>& indices) {
    return offset_of(indices, storage.strides, storage.offset);
}

}  // namespace muster::graph
