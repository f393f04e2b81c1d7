// bytes.hpp - products of quantised numbers, four at a time: WGSL's dot4I8Packed. Internal to graph/kernels.
//
// Activations become bytes from -128 to 127, four of one axis in a word: u8 less 128. Weights are constants,
// less their zero point. The zero point of activations is taken from the sum at the end: sum((x - z) * w) =
// sum(x * w) - z * sum(w).
#pragma once

#include <optional>
#include <vector>

#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {

/// A tensor of i8 or u8 with one scale and zero point.
struct QuantizedActivations {
    Storage bytes;
    ValueId scale, zero_point;  // the latter may be absent
};

/// Constant weights less their zero points, with a scale for each output channel.
struct QuantizedWeights {
    Sizes sizes;
    std::vector<std::int32_t> numbers;  // row-major
    std::vector<float> scales;          // of each channel of `axis`
    std::size_t axis = 0;
    /// True if all numbers fit i8.
    bool fit_bytes() const;
    /// The sum of the numbers of each channel.
    std::vector<std::int32_t> sums() const;
    /// As f32: number * scale.
    Tensor floats() const;
};

/// The DequantizeLinear within the group that makes an input of the anchor; none if there is none.
std::optional<NodeId> dequantized(const GroupLowering& group, std::size_t input);
/// The activations that a DequantizeLinear reads, if it has one scale.
std::optional<QuantizedActivations> activations_of(const GroupLowering& group, NodeId dequantize);
/// The weights that a DequantizeLinear reads, if they, scales and zero points are constants, for all
/// elements or along `axis`.
std::optional<QuantizedWeights> weights_of(const GroupLowering& group, NodeId dequantize, std::size_t axis);

/// Adds a kernel that packs four neighbours of an axis into each word, and returns the words' storage, where
/// the axis has a quarter of the size, rounded up; channels innermost if asked for. With padding, the buffer
/// begins with words that hold the zero point, as many as the axis has (Storage::zero_count).
Storage pack_activations(GroupLowering& group, const QuantizedActivations& x, std::size_t axis,
                         bool channels_last, bool has_padding);
/// The zero point of packed activations, as an expression of i32.
std::string packed_zero_point(const GroupLowering& group, const QuantizedActivations& x, KernelText& text);
/// The zero point, as an expression of i32.
std::string zero_point_of(const GroupLowering& group, const QuantizedActivations& x, KernelText& text);

/// Declares x_scale and x_zero, with which elements are dequantised as they are loaded.
void declare_scale(const GroupLowering& group, const QuantizedActivations& x, KernelText& text);
/// Declares correction, which the zero point of x adds to each sum of bytes, for the
/// output channel at `index`.
void declare_correction(GroupLowering& group, const QuantizedActivations& x, const QuantizedWeights& weights,
                        std::string_view index, KernelText& text);
/// Declares factor, the product of both scales, for the output channel at `index`.
void declare_factor(GroupLowering& group, const QuantizedActivations& x, const QuantizedWeights& weights,
                    std::string_view index, KernelText& text);

template <class T>
PackedConstant packed_values(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

}  // namespace muster::graph
