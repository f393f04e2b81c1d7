#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/input/npy.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t max_axes = 32;

struct Header {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
};

/// Parses the header, a Python literal: only a dictionary of strings, booleans and a tuple of integers.
class HeaderParser {
  public:
    explicit HeaderParser(std::string_view text) : text_(text) {}

    std::optional<Header> parse() {
        Header header;
        bool has_descr = false, has_order = false, has_shape = false;
        if (!accept('{')) return {};
        while (!accept('}')) {
            const auto key = string();
            if (!key || !accept(':')) return {};
            if (*key == "descr") {
                // A structured type is a list; its text is kept for the error message.
                auto value = next() == '[' ? list() : string();
                if (!value) return {};
                header.descr = *value;
                has_descr = true;
            } else if (*key == "fortran_order") {
                const auto value = boolean();
                if (!value) return {};
                header.fortran_order = *value;
                has_order = true;
            } else if (*key == "shape") {
                if (!tuple(header.shape)) return {};
                has_shape = true;
            } else {
                return {};
            }
            accept(',');
        }
        if (!has_descr || !has_order || !has_shape) return {};
        return header;
    }

  private:
    char next() {
        while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())))
            text_.remove_prefix(1);
        return text_.empty() ? '\0' : text_.front();
    }
    bool accept(char c) {
        if (next() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    std::optional<std::string> string() {
        const char quote = next();
        if (quote != '\'' && quote != '"') return {};
        const std::size_t end = text_.find(quote, 1);
        if (end == text_.npos) return {};
        std::string value(text_.substr(1, end - 1));
        text_.remove_prefix(end + 1);
        return value;
    }
    std::optional<std::string> list() {
        std::size_t depth = 0;
        for (std::size_t i = 0; i < text_.size(); ++i) {
            if (text_[i] == '[') ++depth;
            if (text_[i] != ']' || --depth != 0) continue;
            std::string value(text_.substr(0, i + 1));
            text_.remove_prefix(i + 1);
            return value;
        }
        return {};
    }
    std::optional<bool> boolean() {
        next();
        for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {"False", false}}) {
            if (text_.starts_with(word)) {
                text_.remove_prefix(word.size());
                return value;
            }
        }
        return {};
    }
    bool tuple(std::vector<std::uint64_t>& shape) {
        if (!accept('(')) return false;
        while (!accept(')')) {
            next();
            std::uint64_t length = 0;
            const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), length);
            if (error != std::errc{} || shape.size() == max_axes) return false;
            text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
            accept('L');  // Python 2's suffix of long integers
            shape.push_back(length);
            accept(',');
        }
        return true;
    }

    std::string_view text_;
};

struct NumberType {
    std::string_view letter;  // NumPy's
    NumberKind kind;
    std::uint32_t most_bytes;
};
constexpr std::array<NumberType, 4> number_types{{{"b", NumberKind::boolean, 1},
                                                  {"i", NumberKind::signed_integer, 8},
                                                  {"u", NumberKind::unsigned_integer, 8},
                                                  {"f", NumberKind::floating, 8}}};

/// Parses a type: "<f4" is a little-endian float of 4 bytes. Returns false for any other type.
bool read_descr(std::string_view descr, StoredArray& array) {
    if (descr.size() != 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) return false;
    const auto type = std::ranges::find(number_types, descr.substr(1, 1), &NumberType::letter);
    const char digit = descr[2];
    if (type == number_types.end() || (digit != '1' && digit != '2' && digit != '4' && digit != '8'))
        return false;
    array.kind = type->kind;
    array.bytes_each = static_cast<std::uint32_t>(digit - '0');
    array.is_big_endian = descr[0] == '>';
    return array.bytes_each <= type->most_bytes &&
           (array.kind != NumberKind::floating || array.bytes_each > 1);
}

/// Fix for elements that aren't numbers: what to save instead.
std::string fix_of(std::string_view descr) {
    if (descr.starts_with('['))
        return "save one field, array[\"x\"], as a .npy of its own; or all bytes, array.tofile(\"x.bin\"), "
               "and bind that";
    return "save array.astype(numpy.float32), numpy.int32 or numpy.uint32";
}

std::string_view descr_of(Scalar scalar) {
    switch (scalar) {
        case Scalar::f32: return "<f4";
        case Scalar::f16: return "<f2";
        case Scalar::i8: return "|i1";
        case Scalar::u8: return "|u1";
        case Scalar::i16: return "<i2";
        case Scalar::u16: return "<u2";
        case Scalar::i32: return "<i4";
        case Scalar::i64: return "<i8";
        case Scalar::u64: return "<u8";
        case Scalar::f64: return "<f8";
        case Scalar::boolean:
        case Scalar::u32: return "<u4";
    }
    return "<u4";
}

/// Splits the file into the header's text and the elements.
Result<std::pair<std::string_view, std::span<const std::byte>>> split(std::span<const std::byte> file,
                                                                      const std::string& name) {
    const std::string_view text = as_text(file);
    if (!text.starts_with(magic) || text.size() < 10) {
        return fail(ErrorCode::io_failed,
                    fmt::format("\"{}\" isn't a .npy file: it doesn't start with NumPy's magic.", name));
    }
    const int version = static_cast<unsigned char>(text[6]);
    if (version < 1 || version > 3) {
        return fail(ErrorCode::unsupported,
                    fmt::format("\"{}\" has .npy version {}; versions 1 to 3 can be read.", name, version));
    }
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    std::uint32_t length = 0;
    if (text.size() >= 8 + length_bytes) std::memcpy(&length, text.data() + 8, length_bytes);
    if (text.size() < 8 + length_bytes || text.size() - 8 - length_bytes < length) {
        return fail(ErrorCode::io_failed,
                    fmt::format("\"{}\" ends inside its .npy header, after {} bytes.", name, file.size()));
    }
    const std::size_t start = 8 + length_bytes;
    return std::pair{text.substr(start, length), file.subspan(start + length)};
}

}  // namespace

std::optional<std::uint64_t> count_of(std::span<const std::uint64_t> shape) {
    std::uint64_t count = 1;
    for (const std::uint64_t length : shape) {
        if (__builtin_mul_overflow(count, length, &count)) return {};
    }
    return count;
}

std::string StoredArray::type_name() const {
    if (kind == NumberKind::boolean) return "bool";
    return fmt::format("{}{}", std::ranges::find(number_types, kind, &NumberType::kind)->letter,
                       bytes_each * 8);
}

Result<StoredArray> parse_npy(std::span<const std::byte> file, const std::string& name) {
    const auto [header_text, elements] = TRY(split(file, name));
    const auto header = HeaderParser(header_text).parse();
    if (!header) {
        return fail(ErrorCode::io_failed, fmt::format("The .npy header of \"{}\" can't be understood.", name),
                    "write the file again with numpy.save");
    }
    StoredArray array;
    if (!read_descr(header->descr, array)) {
        return fail(ErrorCode::unsupported,
                    fmt::format("\"{}\" holds elements of type '{}'; kernels take numbers of 8 to 64 bits.",
                                name, header->descr),
                    fix_of(header->descr));
    }
    const auto count = count_of(header->shape);
    if (!count || *count > elements.size() / array.bytes_each ||
        *count * array.bytes_each != elements.size()) {
        return fail(ErrorCode::io_failed,
                    fmt::format("\"{}\" holds {} bytes of elements, but its shape ({}) says {}.", name,
                                elements.size(), fmt::join(header->shape, ", "),
                                count && *count <= UINT64_MAX / array.bytes_each
                                    ? std::to_string(*count * array.bytes_each)
                                    : "more than fit 64 bits"));
    }
    array.is_columns_first = header->fortran_order && header->shape.size() > 1;
    array.shape = header->shape;
    array.elements = elements;
    return array;
}

std::vector<std::byte> format_npy(const Array& array) {
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr_of(array.scalar),
                    fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
    // Elements start at a multiple of 64 bytes; a newline ends the header.
    const std::size_t before = magic.size() + 4;
    header.append(63 - (before + header.size()) % 64, ' ');
    header += '\n';

    std::string prefix(magic);
    prefix += '\x01';
    prefix += '\0';
    prefix += static_cast<char>(header.size() & 0xff);
    prefix += static_cast<char>(header.size() >> 8);
    prefix += header;

    std::vector<std::byte> file(prefix.size() + array.bytes.size());
    std::memcpy(file.data(), prefix.data(), prefix.size());
    std::ranges::copy(array.bytes, file.begin() + static_cast<std::ptrdiff_t>(prefix.size()));
    return file;
}

}  // namespace muster::cli
