#include <cstring>

#include <fmt/format.h>
#include <xxhash.h>

#include <muster/cli/input/image.hpp>
#include <muster/cli/input/literal.hpp>
#include <muster/cli/input/npy.hpp>
#include <muster/cli/input/pixels.hpp>
#include <muster/cli/report/output.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

bool is_nan(std::uint64_t bits, Scalar scalar) {
    if (scalar == Scalar::f64) return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
    return scalar == Scalar::f16 ? (bits & 0x7fffu) > 0x7c00u : (bits & 0x7fffffffu) > 0x7f800000u;
}

/// The bits of the `index`-th number of a run.
std::uint64_t number_at(std::span<const std::byte> bytes, std::uint64_t run, std::uint64_t index,
                        Scalar scalar) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &bytes[run + index * info(scalar).bytes], info(scalar).bytes);
    return bits;
}

Result<void> write_npy(const Variable& variable, const TypeTable& types, const HostBuffer& buffer,
                       const std::string& path) {
    const auto only = only_scalar(types, variable.type);
    Array array{only.value_or(Scalar::u32), buffer.shape, pack(types, variable.type, buffer.bytes)};
    const std::uint64_t numbers = array.bytes.size() / info(array.scalar).bytes;
    if (count_of(array.shape) != numbers) array.shape = {numbers};
    return write_file(path, format_npy(array));
}

Result<void> write_png(const Variable& variable, const TypeTable& types, const HostBuffer& buffer,
                       const std::string& path) {
    const Extent extent = extent_of(types, variable.type, buffer.shape);
    const std::uint64_t pixels = element_count(types, variable.type, buffer.bytes.size());
    if (extent.z != 1 || extent.x * extent.y != pixels || pixels == 0 || extent.x > UINT32_MAX ||
        extent.y > UINT32_MAX) {
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("Output \"{}\" can't become a picture: its {} elements have no width and height.",
                        variable.name, pixels),
            fmt::format("bind it with like:NAME of a picture, or zeros:TYPE:HEIGHT,WIDTH"));
    }
    Image image{static_cast<std::uint32_t>(extent.x), static_cast<std::uint32_t>(extent.y),
                std::vector<std::byte>(pixels * 4)};
    rgba_from_pixels(*pixel_form(types, variable.type), buffer.bytes, image.rgba);
    return write_file(path, TRY(format_png(image)));
}

Result<void> print(const TypeTable& types, TypeId type, const HostBuffer& buffer) {
    const std::uint64_t elements = element_count(types, type, buffer.bytes.size());
    const std::uint64_t each = std::max<std::uint64_t>(1, types.scalars_in(repeated(types, type)));
    // Members before a structure's run-time array share the first line.
    std::uint64_t left_in_line = head_words(types, type);
    if (left_in_line == 0) left_in_line = each;
    fmt::memory_buffer text;
    for_each_run(types, type, elements, [&](std::uint64_t offset, std::uint64_t numbers, Scalar scalar) {
        for (std::uint64_t i = 0; i < numbers; ++i) {
            const bool ends_line = --left_in_line == 0;
            if (ends_line) left_in_line = each;
            fmt::format_to(std::back_inserter(text), "{}{}",
                           format_number(number_at(buffer.bytes, offset, i, scalar), scalar),
                           ends_line ? '\n' : ' ');
        }
    });
    return write_text("-", {text.data(), text.size()});
}

}  // namespace

std::uint64_t checksum(const TypeTable& types, TypeId type, const HostBuffer& buffer) {
    std::vector<std::byte> bytes = buffer.bytes;
    for_each_run(types, type, element_count(types, type, bytes.size()),
                 [&](std::uint64_t offset, std::uint64_t numbers, Scalar scalar) {
                     if (!is_float(scalar)) return;
                     const std::uint64_t canonical = scalar == Scalar::f16   ? 0x7e00u
                                                     : scalar == Scalar::f64 ? 0x7ff8000000000000u
                                                                             : 0x7fc00000u;
                     const std::uint32_t each = info(scalar).bytes;
                     for (std::uint64_t i = 0; i < numbers; ++i) {
                         if (is_nan(number_at(bytes, offset, i, scalar), scalar))
                             std::memcpy(&bytes[offset + i * each], &canonical, each);
                     }
                 });
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::string preview(const TypeTable& types, TypeId type, const HostBuffer& buffer, std::size_t most) {
    // Limits the walk over a huge array: `most` + 1 elements have more than `most` numbers.
    const std::uint64_t elements = element_count(types, type, buffer.bytes.size());
    const std::uint64_t shown =
        types.has_runtime_array(type) ? std::min<std::uint64_t>(elements, most + 1) : elements;
    std::string text;
    std::size_t count = 0;
    for_each_run(types, type, shown, [&](std::uint64_t offset, std::uint64_t numbers, Scalar scalar) {
        for (std::uint64_t i = 0; i < numbers && count <= most; ++i, ++count) {
            if (count > 0) text += ' ';
            text += count == most ? "..." : format_number(number_at(buffer.bytes, offset, i, scalar), scalar);
        }
    });
    return text;
}

Result<void> check_output(const Variable& variable, const TypeTable& types, const std::string& path) {
    const std::string extension = extension_of(path);
    const auto misfit = [&](std::string_view why, std::string fix) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("Output \"{}\" ({}) can't go to \"{}\": {}.", variable.name,
                                types.name(variable.type), path, why),
                    std::move(fix));
    };
    if (path == "-" || extension == ".bin") return {};
    if (extension == ".npy") {
        if (only_scalar(types, variable.type)) return {};
        return misfit("a .npy holds numbers of one kind, and this has several", "write its bytes to a .bin");
    }
    if (extension == ".png") {
        if (pixel_form(types, variable.type)) return {};
        return misfit(
            "pictures are array<u32> or array<vec4<u8>> (RGBA, 8 bits each), or array<vec4<f32>> (0 to 1)",
            "write it to a .npy");
    }
    return misfit("its extension says no format", "name a .npy, .png or .bin file, or - to print");
}

Result<void> write_output(const Variable& variable, const TypeTable& types, const HostBuffer& buffer,
                          const std::string& path) {
    if (auto fits = check_output(variable, types, path); !fits) return fits;
    if (path == "-") return print(types, variable.type, buffer);
    const std::string extension = extension_of(path);
    if (extension == ".npy") return write_npy(variable, types, buffer, path);
    if (extension == ".png") return write_png(variable, types, buffer, path);
    return write_file(path, buffer.bytes);
}

}  // namespace muster::cli
