#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/window.hpp>

namespace muster::graph {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 31;

Result<void> check_list(const Attributes& attributes, std::string_view name, std::size_t count,
                        std::int64_t least) {
    const std::span<const std::int64_t> list = attributes.integers(name);
    if (!attributes.has(name)) return {};
    if (list.size() != count) {
        return wrong(fmt::format("Its attribute {} has {} numbers, and needs {}.", name, list.size(), count));
    }
    for (const std::int64_t item : list) {
        if (item < least || item > largest) {
            return wrong(fmt::format("Its attribute {} has {}, which isn't from {} to {}.", name, item, least,
                                     largest));
        }
    }
    return {};
}

std::int64_t item(std::span<const std::int64_t> list, std::size_t at, std::int64_t otherwise) {
    return list.empty() ? otherwise : list[at];
}

/// The axes with everything that doesn't depend on auto_pad.
Result<std::vector<WindowAxis>> plain_axes(const Attributes& attributes, std::span<const Dimension> input,
                                           std::span<const std::int64_t> kernel) {
    const std::size_t rank = input.size();
    if (kernel.size() != rank) {
        return wrong(
            fmt::format("Its kernel has {} sizes, and the input has {} spatial axes.", kernel.size(), rank));
    }
    TRY(check_list(attributes, "strides", rank, 1));
    TRY(check_list(attributes, "dilations", rank, 1));
    TRY(check_list(attributes, "pads", 2 * rank, 0));
    std::vector<WindowAxis> axes(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        if (kernel[i] < 1 || kernel[i] > largest)
            return wrong(fmt::format("Its kernel has the size {}.", kernel[i]));
        axes[i] = {.kernel = kernel[i],
                   .stride = item(attributes.integers("strides"), i, 1),
                   .dilation = item(attributes.integers("dilations"), i, 1),
                   .pad_begin = item(attributes.integers("pads"), i, 0),
                   .pad_end = item(attributes.integers("pads"), rank + i, 0),
                   .input = input[i]};
        if (input[i].is_number() && input[i].number() > largest) {
            return wrong(
                fmt::format("The input has {} elements on spatial axis {}: too many.", input[i].number(), i));
        }
        if (axes[i].kernel > 1 && axes[i].dilation > largest / axes[i].kernel) {
            return wrong(
                fmt::format("Its kernel of {}, dilated by {}, is too large.", kernel[i], axes[i].dilation));
        }
    }
    return axes;
}

Result<bool> pads_itself(const Attributes& attributes) {
    const std::string_view how = attributes.text("auto_pad");
    if (how != "NOTSET" && how != "SAME_UPPER" && how != "SAME_LOWER" && how != "VALID") {
        return wrong(fmt::format("Its attribute auto_pad is \"{}\".", how),
                     "use NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    }
    if (how != "NOTSET" &&
        std::ranges::any_of(attributes.integers("pads"), [](std::int64_t pad) { return pad != 0; })) {
        return wrong(fmt::format("It has both pads and auto_pad = \"{}\".", how), "leave one out");
    }
    return how.starts_with("SAME");
}

void split_padding(WindowAxis& axis, std::int64_t total, bool more_at_end) {
    axis.pad_begin = more_at_end ? total / 2 : total - total / 2;
    axis.pad_end = total - axis.pad_begin;
}

void pad_to_same(WindowAxis& axis, bool more_at_end) {
    if (!axis.input.is_number()) {
        axis.output = axis.stride == 1 ? axis.input : Dimension::unknown();
        return;
    }
    const std::int64_t input = axis.input.number();
    const std::int64_t output = (input + axis.stride - 1) / axis.stride;
    split_padding(axis, std::max<std::int64_t>(0, (output - 1) * axis.stride + axis.extent() - input),
                  more_at_end);
    axis.output = output;
}

Result<void> size_of_output(WindowAxis& axis, bool ceil_mode) {
    const std::int64_t padding = axis.pad_begin + axis.pad_end;
    if (!axis.input.is_number()) {
        axis.output = axis.stride == 1 && padding + 1 == axis.extent() ? axis.input : Dimension::unknown();
        return {};
    }
    const std::int64_t input = axis.input.number(), room = input + padding - axis.extent();
    if (room < 0) {
        return wrong(
            fmt::format("Its kernel extends over {} elements, and the input has {} with its padding of {}.",
                        axis.extent(), input + padding, padding));
    }
    std::int64_t output = (ceil_mode ? room + axis.stride - 1 : room) / axis.stride + 1;
    // No window begins in the padding at the end.
    if (ceil_mode && (output - 1) * axis.stride >= input + axis.pad_begin) --output;
    axis.output = output;
    return {};
}

}  // namespace

Result<std::vector<WindowAxis>> window_of(const Attributes& attributes, std::span<const Dimension> input,
                                          std::span<const std::int64_t> kernel, bool ceil_mode) {
    std::vector<WindowAxis> axes = TRY(plain_axes(attributes, input, kernel));
    const bool same = TRY(pads_itself(attributes));
    for (WindowAxis& axis : axes) {
        if (same)
            pad_to_same(axis, attributes.text("auto_pad") == "SAME_UPPER");
        else
            TRY(size_of_output(axis, ceil_mode));
    }
    return axes;
}

Result<std::vector<WindowAxis>> transposed_window_of(const Attributes& attributes,
                                                     std::span<const Dimension> input,
                                                     std::span<const std::int64_t> kernel) {
    std::vector<WindowAxis> axes = TRY(plain_axes(attributes, input, kernel));
    const bool same = TRY(pads_itself(attributes));
    TRY(check_list(attributes, "output_padding", axes.size(), 0));
    TRY(check_list(attributes, "output_shape", axes.size(), 1));
    const bool more_at_end = attributes.text("auto_pad") == "SAME_UPPER";
    for (std::size_t i = 0; i < axes.size(); ++i) {
        WindowAxis& axis = axes[i];
        axis.output_padding = item(attributes.integers("output_padding"), i, 0);
        if (!axis.input.is_number()) {
            axis.output = attributes.has("output_shape") ? Dimension(attributes.integers("output_shape")[i])
                                                         : Dimension::unknown();
            continue;
        }
        const std::int64_t all =
            axis.stride * (axis.input.number() - 1) + axis.output_padding + axis.extent();
        std::int64_t output = all - axis.pad_begin - axis.pad_end;
        if (attributes.has("output_shape") || same) {
            output = same && !attributes.has("output_shape") ? axis.input.number() * axis.stride
                                                             : attributes.integers("output_shape")[i];
            split_padding(axis, std::max<std::int64_t>(0, all - output), more_at_end);
        }
        if (output < 0)
            return wrong(fmt::format("Its padding leaves {} elements on spatial axis {}.", output, i));
        axis.output = output;
    }
    return axes;
}

}  // namespace muster::graph
