#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <muster/cli/input/image.hpp>
#include <muster/cli/input/literal.hpp>
#include <muster/cli/input/model_tensors.hpp>
#include <muster/cli/input/npy_convert.hpp>
#include <muster/cli/input/npz.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/f16.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/ir/sizes.hpp>

namespace muster::cli {
namespace {

using graph::Dimension;
using graph::ElementType;
using graph::product;
using graph::Sizes;
using graph::Tensor;

Scalar scalar_of(ElementType element) {
    switch (element) {
        case ElementType::f32: return Scalar::f32;
        case ElementType::f16: return Scalar::f16;
        case ElementType::i8: return Scalar::i8;
        case ElementType::u8:
        case ElementType::boolean: return Scalar::u8;  // a bool is a byte, 0 or 1
        case ElementType::i32: return Scalar::i32;
        case ElementType::i64: return Scalar::i64;
    }
    return Scalar::u8;
}

/// Makes the tensor of one input.
class Maker {
  public:
    explicit Maker(const graph::Value& value) : value_(value), scalar_(scalar_of(value.type.element)) {}

    Result<Tensor> make(const Spec& spec) const {
        using Kind = Spec::Kind;
        switch (spec.kind) {
            case Kind::image: return picture(spec.text);
            case Kind::npy: return npy(TRY(read_file(spec.text)), spec.text);
            case Kind::npz:
                return npy(TRY(read_npz(spec.text, spec.type)), fmt::format("{}:{}", spec.text, spec.type));
            case Kind::raw: return raw(spec.text);
            case Kind::zeros:
            case Kind::random:
            case Kind::iota: return generated(spec);
            case Kind::literal: return literal(spec);
            case Kind::like:
            case Kind::extent: break;
        }
        return misfit("like: and extent: are for kernels", "give its sizes: zeros:f32:1,3,224,224");
    }

  private:
    std::unexpected<Error> misfit(std::string why, std::string fix = {}) const {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Input \"{}\" is {}: {}.", value_.name, to_string(value_.type), why),
                    std::move(fix));
    }

    /// The declared sizes, with 1 where the model leaves one open.
    Sizes least_sizes() const {
        Sizes sizes;
        for (const Dimension& size : value_.type.shape) sizes.push_back(size.known().value_or(1));
        return sizes;
    }
    Result<Tensor> tensor(Sizes sizes, std::vector<std::byte> bytes) const {
        const auto fits = [](const Dimension& declared, std::int64_t given) {
            return !declared.is_number() || declared.number() == given;
        };
        if (!std::ranges::equal(value_.type.shape, sizes, fits))
            return misfit(fmt::format("[{}] is given", fmt::join(sizes, ", ")));
        return Tensor::own(value_.type.element, std::move(sizes), std::move(bytes));
    }

    Result<Tensor> npy(std::span<const std::byte> file, const std::string& name) const {
        Converted converted =
            TRY(during("filling input " + value_.name, convert(TRY(parse_npy(file, name)), scalar_, name)));
        if (!converted.note.empty()) complain(fmt::format("note: {}\n", converted.note));
        return tensor({converted.array.shape.begin(), converted.array.shape.end()},
                      std::move(converted.array.bytes));
    }

    Result<Tensor> raw(const std::string& path) const {
        Bytes bytes = TRY(read_file(path));
        const Sizes sizes = least_sizes();
        const auto wanted = static_cast<std::uint64_t>(product(sizes)) * graph::bytes_of(value_.type.element);
        if (bytes.size() != wanted)
            return misfit(fmt::format("\"{}\" has {} bytes, and [{}] takes {}", path, bytes.size(),
                                      fmt::join(sizes, ", "), wanted));
        return tensor(sizes, std::move(bytes));
    }

    void put(std::vector<std::byte>& bytes, std::size_t index, std::uint64_t bits) const {
        const std::size_t width = info(scalar_).bytes;
        if (value_.type.element == ElementType::boolean) bits &= 1;
        std::memcpy(bytes.data() + index * width, &bits, width);
    }
    std::uint64_t bits_of(double number) const {
        if (scalar_ == Scalar::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
        if (scalar_ == Scalar::f16) return f16(static_cast<float>(number)).bits();
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
    }

    Result<Tensor> generated(const Spec& spec) const {
        if (spec.type != graph::name(value_.type.element))
            return misfit(fmt::format("its elements aren't {}", spec.type),
                          fmt::format("write {} instead of {}", graph::name(value_.type.element), spec.type));
        Sizes sizes(spec.shape.begin(), spec.shape.end());
        if (value_.type.shape.empty() && sizes == Sizes{1}) sizes = {};
        const auto count = graph::checked_element_count(sizes);
        if (!count || static_cast<std::uint64_t>(*count) > physical_memory() / 8)
            return misfit("that is too large for this machine");
        std::vector<std::byte> bytes(static_cast<std::size_t>(*count) * info(scalar_).bytes);
        for (std::size_t i = 0; spec.kind != Spec::Kind::zeros && i < static_cast<std::size_t>(*count); ++i) {
            const std::uint32_t word =
                spec.kind == Spec::Kind::random ? random_word(spec.seed, i) : static_cast<std::uint32_t>(i);
            const bool is_unit = spec.kind == Spec::Kind::random && is_float(scalar_);
            put(bytes, i,
                is_unit             ? bits_of((word >> 8) * 0x1p-24)
                : is_float(scalar_) ? bits_of(word)
                                    : word);
        }
        return tensor(std::move(sizes), std::move(bytes));
    }

    Result<Tensor> literal(const Spec& spec) const {
        Sizes sizes = least_sizes();
        std::vector<std::uint64_t> numbers;
        std::string_view rest = spec.text;
        while (true) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            numbers.push_back(TRY(parse_number(rest.substr(0, end), scalar_)));
            if (end == rest.size()) break;
            rest.remove_prefix(end + 1);
        }
        // One open size may be as many as there are numbers.
        const auto open =
            std::ranges::find_if(value_.type.shape, [](const Dimension& size) { return !size.is_number(); });
        const auto given = static_cast<std::int64_t>(numbers.size());
        if (open != value_.type.shape.end() && given % std::max<std::int64_t>(product(sizes), 1) == 0)
            sizes[static_cast<std::size_t>(open - value_.type.shape.begin())] = given / product(sizes);
        if (product(sizes) != given) return misfit(fmt::format("{} numbers are given", given));
        std::vector<std::byte> bytes(numbers.size() * info(scalar_).bytes);
        for (std::size_t i = 0; i < numbers.size(); ++i) put(bytes, i, numbers[i]);
        return tensor(std::move(sizes), std::move(bytes));
    }

    Result<Tensor> picture(const std::string& path) const;

    const graph::Value& value_;
    Scalar scalar_;
};

/// A row or column of pixels scaled: each the mean of those that it covers, or, where it
/// grows, between its neighbours.
std::vector<std::vector<std::pair<std::size_t, float>>> weights(std::size_t from, std::size_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to), reach = std::max(1.0, scale);
    std::vector<std::vector<std::pair<std::size_t, float>>> result(to);
    for (std::size_t i = 0; i < to; ++i) {
        const double centre = (static_cast<double>(i) + 0.5) * scale - 0.5;
        const auto first = static_cast<std::ptrdiff_t>(std::ceil(centre - reach)),
                   last = static_cast<std::ptrdiff_t>(std::floor(centre + reach));
        double sum = 0;
        for (std::ptrdiff_t k = first; k <= last; ++k)
            sum += std::max(0.0, 1 - std::fabs(static_cast<double>(k) - centre) / reach);
        for (std::ptrdiff_t k = first; k <= last; ++k) {
            const double weight = std::max(0.0, 1 - std::fabs(static_cast<double>(k) - centre) / reach);
            const auto at = static_cast<std::size_t>(
                std::clamp<std::ptrdiff_t>(k, 0, static_cast<std::ptrdiff_t>(from) - 1));
            if (weight > 0) result[i].emplace_back(at, static_cast<float>(weight / sum));
        }
    }
    return result;
}

/// Four components of each pixel, from 0 to 255.
std::vector<float> scaled(const Image& image, std::size_t width, std::size_t height) {
    const auto across = weights(image.width, width), down = weights(image.height, height);
    std::vector<float> rows(image.height * width * 4), result(height * width * 4);
    for (std::size_t y = 0; y < image.height; ++y)
        for (std::size_t x = 0; x < width; ++x)
            for (const auto& [at, weight] : across[x])
                for (std::size_t c = 0; c < 4; ++c)
                    rows[(y * width + x) * 4 + c] +=
                        weight *
                        static_cast<float>(std::to_integer<int>(image.rgba[(y * image.width + at) * 4 + c]));
    for (std::size_t y = 0; y < height; ++y)
        for (const auto& [at, weight] : down[y])
            for (std::size_t i = 0; i < width * 4; ++i)
                result[y * width * 4 + i] += weight * rows[at * width * 4 + i];
    return result;
}

Result<Tensor> Maker::picture(const std::string& path) const {
    const ElementType element = value_.type.element;
    const graph::Shape& shape = value_.type.shape;
    const bool has_batch = shape.size() == 4;
    if ((!has_batch && shape.size() != 3) || (!graph::is_float(element) && element != ElementType::u8))
        return misfit("a picture fits [1, C, H, W] and [1, H, W, C] of f32, f16 or u8, with C 1, 3 or 4");
    const auto is_channels = [](const Dimension& size) {
        return size == Dimension(1) || size == Dimension(3) || size == Dimension(4);
    };
    const std::size_t first = has_batch ? 1 : 0;
    const bool is_planar = is_channels(shape[first]);
    if (!is_planar && !is_channels(shape[first + 2]))
        return misfit("neither its first nor its last axis has 1, 3 or 4 channels");
    const Image image = TRY(parse_image(TRY(read_file(path)), path));
    const std::size_t y_axis = is_planar ? first + 1 : first, channel_axis = is_planar ? first : first + 2;
    const auto channels = static_cast<std::size_t>(shape[channel_axis].number());
    const auto height = static_cast<std::size_t>(shape[y_axis].known().value_or(image.height)),
               width = static_cast<std::size_t>(shape[y_axis + 1].known().value_or(image.width));
    const std::vector<float> pixels = scaled(image, width, height);
    std::vector<std::byte> bytes(height * width * channels * info(scalar_).bytes);
    for (std::size_t i = 0; i < height * width; ++i) {
        for (std::size_t c = 0; c < channels; ++c) {
            const float* const rgba = &pixels[i * 4];
            const float level =
                channels == 1 ? 0.299f * rgba[0] + 0.587f * rgba[1] + 0.114f * rgba[2] : rgba[c];
            const float number = element == ElementType::u8 ? std::round(level) : level / 255;
            put(bytes, is_planar ? c * height * width + i : i * channels + c,
                bits_of(static_cast<double>(number)));
        }
    }
    Sizes sizes = least_sizes();
    sizes[y_axis] = static_cast<std::int64_t>(height);
    sizes[y_axis + 1] = static_cast<std::int64_t>(width);
    return tensor(std::move(sizes), std::move(bytes));
}

std::string names_of_inputs(std::span<const graph::Value> inputs) {
    std::vector<std::string> names;
    for (const graph::Value& input : inputs) names.push_back(input.name);
    return fmt::format("its inputs are {}", fmt::join(names, ", "));
}

std::uint64_t bits_at(const Tensor& tensor, std::size_t index) {
    const std::size_t width = graph::bytes_of(tensor.element());
    std::uint64_t bits = 0;
    std::memcpy(&bits, tensor.bytes().data() + index * width, width);
    return bits;
}

}  // namespace

Result<std::vector<Tensor>> make_tensors(std::span<const graph::Value> inputs, const NamedTexts& binds) {
    for (const auto& [name, text] : binds) {
        if (std::ranges::find(inputs, name, &graph::Value::name) == inputs.end())
            return fail(ErrorCode::invalid_argument, fmt::format("The model has no input \"{}\".", name),
                        names_of_inputs(inputs));
    }
    std::vector<Tensor> tensors;
    for (const graph::Value& value : inputs) {
        const auto bind = std::ranges::find(binds, value.name, [](const auto& each) { return each.first; });
        if (bind == binds.end()) {
            return fail(ErrorCode::invalid_argument,
                        fmt::format("Input \"{}\" ({}) is given nothing.", value.name, to_string(value.type)),
                        fmt::format("add --bind {}=SPEC", value.name));
        }
        const Spec spec = TRY(during(fmt::format("reading --bind {}", value.name), parse_spec(bind->second)));
        tensors.push_back(TRY(during("making --bind " + value.name, Maker(value).make(spec))));
    }
    return tensors;
}

Result<std::vector<Tensor>> read_samples(const graph::Graph& graph, const std::string& path) {
    if (graph.inputs().size() != 1) {
        return fail(
            ErrorCode::unsupported,
            fmt::format("The model has {} inputs, and samples are read for one.", graph.inputs().size()));
    }
    const graph::Value& input = graph.value(graph.inputs()[0]);
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
        // The first axis counts samples, each with a batch of one.
        graph::Value all = input;
        if (!all.type.shape.empty()) all.type.shape[0] = Dimension::symbol("samples");
        const Tensor tensor = TRY(Maker(all).make({.kind = Spec::Kind::npy, .text = path}));
        std::vector<Tensor> samples;
        Sizes sizes(tensor.sizes().begin(), tensor.sizes().end());
        const std::int64_t count = sizes.empty() ? 0 : sizes[0],
                           at_a_time = input.type.shape.empty() ? 1 : input.type.shape[0].known().value_or(1);
        const std::size_t bytes = count == 0 ? 0
                                             : tensor.bytes().size() / static_cast<std::size_t>(count) *
                                                   static_cast<std::size_t>(at_a_time);
        if (!sizes.empty()) sizes[0] = at_a_time;
        for (std::int64_t i = 0; i + at_a_time <= count; i += at_a_time) {
            const auto part = tensor.bytes().subspan(static_cast<std::size_t>(i / at_a_time) * bytes, bytes);
            samples.push_back(Tensor::own(tensor.element(), sizes, {part.begin(), part.end()}));
        }
        if (samples.empty())
            return fail(ErrorCode::invalid_argument, fmt::format("{} has no samples.", path));
        return samples;
    }
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
        const std::string extension = extension_of(entry.path().string());
        if (extension == ".npy" || extension == ".png" || extension == ".jpg" || extension == ".jpeg")
            files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    std::vector<Tensor> samples;
    for (const std::string& file : files) {
        const auto kind = extension_of(file) == ".npy" ? Spec::Kind::npy : Spec::Kind::image;
        samples.push_back(
            TRY(during("reading sample " + file, Maker(input).make({.kind = kind, .text = file}))));
    }
    if (samples.empty())
        return fail(ErrorCode::not_found, fmt::format("There is no sample in {}.", path),
                    "put .npy, .png or .jpg files there");
    return samples;
}

std::string preview(const Tensor& tensor, std::size_t most) {
    const auto count = static_cast<std::size_t>(tensor.count());
    std::string text;
    for (std::size_t i = 0; i < std::min(count, most); ++i)
        text += (i == 0 ? "" : " ") + format_number(bits_at(tensor, i), scalar_of(tensor.element()));
    return count > most ? text + " ..." : text;
}

std::uint64_t checksum(const Tensor& tensor) {
    std::vector<std::byte> bytes(tensor.bytes().begin(), tensor.bytes().end());
    const std::size_t width = graph::bytes_of(tensor.element());
    for (std::size_t i = 0; graph::is_float(tensor.element()) && i < static_cast<std::size_t>(tensor.count());
         ++i) {
        const std::uint64_t bits = bits_at(tensor, i), canonical = width == 2 ? 0x7e00u : 0x7fc00000u;
        const bool is_nan = width == 2 ? (bits & 0x7fffu) > 0x7c00u : (bits & 0x7fffffffu) > 0x7f800000u;
        if (is_nan) std::memcpy(bytes.data() + i * width, &canonical, width);
    }
    return XXH3_64bits(bytes.data(), bytes.size());
}

Result<void> check_tensor_path(const std::string& path) {
    const std::string extension = extension_of(path);
    if (path == "-") return {};
    if (extension != ".npy" && extension != ".bin") {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("An output can't go to \"{}\": its extension says no format.", path),
                    "name a .npy or .bin file, or - to print");
    }
    return check_writable(path);
}

Result<void> write_tensor(const Tensor& tensor, const std::string& path) {
    if (extension_of(path) == ".bin") return write_file(path, tensor.bytes());
    if (path != "-") {
        const auto bytes = tensor.bytes();
        return write_file(path, format_npy({scalar_of(tensor.element()),
                                            {tensor.sizes().begin(), tensor.sizes().end()},
                                            {bytes.begin(), bytes.end()}}));
    }
    std::string text;
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.count()); ++i)
        text += format_number(bits_at(tensor, i), scalar_of(tensor.element())) + '\n';
    return write_text("-", text);
}

}  // namespace muster::cli
