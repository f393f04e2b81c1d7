#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/resize.hpp>

namespace muster::graph {
namespace {

Result<std::vector<std::size_t>> resized_axes(const Attributes& attributes, std::size_t rank) {
    std::vector<std::size_t> axes(rank);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    if (!attributes.has("axes")) return axes;
    (void)TRY(axis_indices(attributes.integers("axes"), rank));
    axes.clear();
    for (const std::int64_t axis : attributes.integers("axes")) axes.push_back(TRY(axis_index(axis, rank)));
    return axes;
}

/// floor(size * scale); of a symbol if the scale is an integer.
Result<Dimension> scaled(const Dimension& size, float scale) {
    if (!(scale > 0 && scale <= 0x1p30f)) return wrong(fmt::format("It scales an axis by {}.", scale));
    if (!size.is_number()) {
        return scale == std::floor(scale) ? size * Dimension(static_cast<std::int64_t>(scale))
                                          : Dimension::unknown();
    }
    const double result = std::floor(static_cast<double>(size.number()) * static_cast<double>(scale));
    return static_cast<std::int64_t>(std::min(result, 0x1p62));
}

Result<void> expect_one_of(std::string_view name, std::string_view value,
                           std::initializer_list<std::string_view> values) {
    if (std::ranges::find(values, value) != values.end()) return {};
    return fail(ErrorCode::unsupported, fmt::format("Its attribute {} is \"{}\".", name, value),
                fmt::format("use one of: {}", fmt::join(values, ", ")));
}

Result<void> check_modes(const Inference& node) {
    const Attributes& attributes = node.attributes();
    TRY(expect_one_of("mode", attributes.text("mode"), {"nearest", "linear", "cubic"}));
    TRY(expect_one_of("nearest_mode", attributes.text("nearest_mode"),
                      {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}));
    TRY(expect_one_of("keep_aspect_ratio_policy", attributes.text("keep_aspect_ratio_policy"),
                      {"stretch", "not_larger", "not_smaller"}));
    TRY(expect_one_of(
        "coordinate_transformation_mode", attributes.text("coordinate_transformation_mode"),
        {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"}));
    if (attributes.flag("antialias") && attributes.text("mode") == "nearest")
        return wrong("Its attribute antialias is 1, and the nearest element has no antialiasing.");
    if (attributes.text("mode") != "nearest" && !is_float(node.element(0))) {
        return fail(ErrorCode::unsupported,
                    fmt::format("{}, and only floats are interpolated.", node.describe(0)));
    }
    return {};
}

/// The position in the input, as a real number.
double position(std::string_view how, const ResizeAxis& axis, std::int64_t at) {
    const auto x = static_cast<double>(at), width = static_cast<double>(axis.input);
    const double scaled_width = axis.scale * width;
    if (how == "align_corners") return scaled_width == 1 ? 0 : x * (width - 1) / (scaled_width - 1);
    if (how == "asymmetric") return x / axis.scale;
    if (how == "pytorch_half_pixel" && scaled_width == 1) return -0.5;
    const double plain = (x + 0.5) / axis.scale - 0.5;
    if (how != "half_pixel_symmetric") return plain;
    return width / 2 * (1 - static_cast<double>(axis.output) / scaled_width) + plain;
}

bool takes_upper(std::string_view how, double fraction) {
    if (fraction == 0) return false;
    if (how == "floor") return false;
    if (how == "ceil") return true;
    return how == "round_prefer_floor" ? fraction > 0.5 : fraction >= 0.5;
}

/// The weights of elements around a position.
struct Window {
    std::int64_t first = 0;  // from the element at or below the position
    std::vector<double> weights;
};

double cubic_weight(double a, double distance) {
    if (distance <= 1) return ((a + 2) * distance - (a + 3)) * distance * distance + 1;
    return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a;
}

/// The filter of `reach` elements to both sides, stretched by 1 / scale, at r from the element below;
/// its weights add up to 1.
Window stretched(const Attributes& attributes, double r, double scale, double reach) {
    Window window{.first = static_cast<std::int64_t>(std::floor(-reach / scale)) + 1};
    const double a = static_cast<double>(attributes.number("cubic_coeff_a"));
    double sum = 0;
    for (std::int64_t i = window.first; i <= 1 - window.first; ++i) {
        const double distance = std::abs(static_cast<double>(i) - r) * scale;
        const double weight = distance >= reach ? 0 : reach == 1 ? 1 - distance : cubic_weight(a, distance);
        window.weights.push_back(weight);
        sum += weight;
    }
    for (double& weight : window.weights) weight /= sum;
    return window;
}

Window window_of(const Attributes& attributes, double r, double scale) {
    const bool linear = attributes.text("mode") == "linear";
    if (attributes.flag("antialias") && scale < 1) return stretched(attributes, r, scale, linear ? 1 : 2);
    if (attributes.text("mode") == "nearest") {
        const bool upper = takes_upper(attributes.text("nearest_mode"), r);
        return {0, {upper ? 0.0 : 1.0, upper ? 1.0 : 0.0}};
    }
    if (linear) return {0, {1 - r, r}};
    const double a = static_cast<double>(attributes.number("cubic_coeff_a"));
    return {-1, {cubic_weight(a, r + 1), cubic_weight(a, r), cubic_weight(a, 1 - r), cubic_weight(a, 2 - r)}};
}

/// One scale for all axes, of those that their sizes ask for the smallest or largest.
void keep_aspect_ratio(std::string_view policy, std::vector<ResizeAxis>& axes,
                       std::span<const std::size_t> resized) {
    if (policy == "stretch" || resized.empty()) return;
    const auto [smallest, largest] =
        std::ranges::minmax(resized, {}, [&](std::size_t axis) { return axes[axis].scale; });
    const double scale = axes[policy == "not_larger" ? smallest : largest].scale;
    for (const std::size_t axis : resized) {
        axes[axis].scale = scale;
        const double size = std::floor(scale * static_cast<double>(axes[axis].input) + 0.5);
        axes[axis].output = static_cast<std::int64_t>(std::min(size, 0x1p62));
    }
}

}  // namespace

Result<std::vector<ResizeAxis>> resize_axes(const Attributes& attributes, std::span<const std::int64_t> input,
                                            const Tensor* scales, const Tensor* sizes) {
    std::vector<ResizeAxis> axes;
    for (const std::int64_t size : input) axes.push_back({1, size, size});
    const std::vector<std::size_t> resized = TRY(resized_axes(attributes, input.size()));
    for (std::size_t i = 0; i < resized.size(); ++i) {
        ResizeAxis& axis = axes[resized[i]];
        if (scales) {
            axis.scale = static_cast<double>(floats(*scales)[i]);
            axis.output = TRY(scaled(axis.input, floats(*scales)[i])).number();
        } else {
            axis.output = integers(*sizes)[i];
            axis.scale = static_cast<double>(axis.output) / static_cast<double>(axis.input);
        }
    }
    if (!scales) keep_aspect_ratio(attributes.text("keep_aspect_ratio_policy"), axes, resized);
    return axes;
}

std::vector<ResizeTap> resize_taps(const Attributes& attributes, const ResizeAxis& axis, std::int64_t at) {
    if (axis.scale == 1 && axis.input == axis.output) return {{at, 1}};
    const double x = position(attributes.text("coordinate_transformation_mode"), axis, at),
                 low = std::floor(x);
    auto [offset, of] = window_of(attributes, x - low, axis.scale);
    const std::int64_t first = static_cast<std::int64_t>(low) + offset;
    const auto outside = [&](std::size_t i) {
        const std::int64_t index = first + static_cast<std::int64_t>(i);
        return index < 0 || index >= axis.input;
    };
    double sum = 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
        if (attributes.flag("exclude_outside") && outside(i)) of[i] = 0;
        sum += of[i];
    }
    std::vector<ResizeTap> taps;
    for (std::size_t i = 0; i < of.size(); ++i) {
        if (of[i] == 0) continue;
        const double weight = attributes.flag("exclude_outside") ? of[i] / sum : of[i];
        taps.push_back({std::clamp<std::int64_t>(first + static_cast<std::int64_t>(i), 0, axis.input - 1),
                        static_cast<float>(weight)});
    }
    if (taps.empty())
        taps.push_back({std::clamp<std::int64_t>(first, 0, axis.input - 1), 1});  // all were outside
    return taps;
}

namespace {

/// The shape with the input's aspect ratio, unknown along resized axes where sizes aren't known.
Result<Shape> shape_of_kept_ratio(const Inference& node, std::span<const std::size_t> resized) {
    Shape shape = node.shape(0);
    const auto input = known_sizes(shape);
    const auto sizes = node.contents(3) ? known_sizes(*node.contents(3)) : std::nullopt;
    if (!input || !sizes) {
        for (const std::size_t axis : resized) shape[axis] = Dimension::unknown();
        return shape;
    }
    for (std::size_t i = 0; i < resized.size(); ++i) {
        if ((*sizes)[i] < 0 || (*input)[resized[i]] == 0)
            return wrong(fmt::format("It resizes an axis of {} elements to the size {}.",
                                     (*input)[resized[i]], (*sizes)[i]));
    }
    const Tensor wanted = Tensor::of<std::int64_t>({static_cast<std::int64_t>(sizes->size())},
                                                   std::span<const std::int64_t>(*sizes));
    const std::vector<ResizeAxis> axes = TRY(resize_axes(node.attributes(), *input, nullptr, &wanted));
    for (const std::size_t axis : resized) shape[axis] = axes[axis].output;
    return shape;
}

}  // namespace

Result<void> infer_resize(Inference& node) {
    TRY(check_modes(node));
    if (node.has(2) && node.has(3) && node.shape(2) == Shape{0})
        return wrong("It has empty scales beside sizes.", "leave scales out");
    if (node.has(2) == node.has(3)) return wrong("It needs either scales or sizes.");
    const std::size_t given = node.has(2) ? 2 : 3;
    const std::vector<std::size_t> axes = TRY(resized_axes(node.attributes(), node.rank(0)));
    if (TRY(node.known_length(given)) != axes.size()) {
        return wrong(fmt::format("{}, and must have {} elements, one for each axis.", node.describe(given),
                                 axes.size()));
    }
    if (given == 3 && node.attributes().text("keep_aspect_ratio_policy") != "stretch") {
        node.set_shape(0, TRY(shape_of_kept_ratio(node, axes)));
        return {};
    }
    Shape shape = node.shape(0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        Dimension& size = shape[axes[i]];
        const Dimension before = size;
        if (given == 3)
            size = node.contents(3) ? (*node.contents(3))[i] : Dimension::unknown();
        else
            size = node.fact(2).constant ? TRY(scaled(size, floats(*node.fact(2).constant)[i]))
                                         : Dimension::unknown();
        if (size.is_number() && size.number() < 0)
            return wrong(fmt::format("It gives an axis the size {}.", size.number()));
        if (before == Dimension(0) && size.is_number() && size != Dimension(0)) {
            return wrong(fmt::format("{}, and an axis without elements can't grow.", node.describe(0)));
        }
    }
    node.set_shape(0, std::move(shape));
    return {};
}

}  // namespace muster::graph
