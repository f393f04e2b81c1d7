// conv_operands.hpp - the sizes of a convolution and what it reads, in the order that its kernel reads it.
// Internal to graph/kernels.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <muster/graph/infer/window.hpp>
#include <muster/graph/kernels/bytes.hpp>
#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {

/// The sizes of a convolution of one group.
struct ConvSizes {
    Sizes x, w, y;
    std::vector<WindowAxis> axes;
    std::int64_t groups = 1;
    std::int64_t channels_in() const { return w[1]; }            // of a group
    std::int64_t channels_out() const { return w[0] / groups; }  // of a group
    std::int64_t taps() const { return product({w.begin() + 2, w.end()}); }
    std::int64_t pixels() const { return y[0] * product({y.begin() + 2, y.end()}); }
    /// True if each channel of the output is made of one of the input, its own.
    bool is_depthwise() const { return channels_in() == 1 && channels_out() == 1 && groups > 1; }
    /// The positions that one column of the kernel's tiles each makes.
    std::int64_t columns() const { return is_depthwise() ? groups : channels_out(); }
    bool has_padding() const {
        return std::ranges::any_of(
            axes, [](const WindowAxis& axis) { return axis.pad_begin > 0 || axis.pad_end > 0; });
    }
};

/// The tensors that a convolution reads, and what becomes of its sums.
struct ConvOperands {
    Storage x;
    std::optional<PackedConstant> packed_w;  // of the element type `w_element`
    ElementType w_element = ElementType::f32;
    Storage w;  // without packed_w
    std::optional<Storage> bias;
    enum class Terms : std::uint8_t { floats, integers, bytes } terms = Terms::floats;
    bool is_qlinear = false;                        // QLinearConv
    std::optional<QuantizedActivations> quantized;  // of x, for bytes, or to dequantise as it is loaded
    std::optional<QuantizedWeights> weights;        // for bytes
};

/// Weights in the order that a workgroup reads them: [group][block of `lanes` channels][tap][input
/// channel][channel in the block].
PackedConstant packed_floats(const Tensor& weights, const ConvSizes& sizes, std::int64_t lanes);
/// The same with four input channels to a word; `sizes` counts words.
PackedConstant packed_bytes(const QuantizedWeights& weights, const ConvSizes& sizes, std::int64_t lanes);

/// True if the input is read so often that a copy with the channels innermost is worth its time.
bool wants_copy(const ConvSizes& sizes, const ConvOperands& operands);
/// Copies the input with its padding and the channels innermost. Where there are few channels, the last axis
/// of the window and the channels, which are one run of memory there, become the channels. The terms of the
/// sums and their order stay.
void copy_input(GroupLowering& group, ConvSizes& sizes, ConvOperands& operands);

/// True if write_depthwise() writes it.
bool fits_depthwise(const ConvSizes& sizes, const ConvOperands& operands);
/// Adds the kernel of a depthwise convolution.
void write_depthwise(GroupLowering& group, const ConvSizes& sizes, const ConvOperands& operands,
                     const Tensor& weights);

}  // namespace muster::graph
