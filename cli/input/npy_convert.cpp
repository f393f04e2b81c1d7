#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/input/npy_convert.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/semantics/semantics.hpp>

static_assert(std::endian::native == std::endian::little, "arrays are passed on as they are");

namespace muster::cli {
namespace {

/// The number's bits, zero-extended to 64.
std::uint64_t bits_at(const StoredArray& stored, std::uint64_t index) {
    const std::byte* at = stored.elements.data() + index * stored.bytes_each;
    std::uint64_t bits = 0;
    if (!stored.is_big_endian) {
        std::memcpy(&bits, at, stored.bytes_each);
        return bits;
    }
    for (std::uint32_t i = 0; i < stored.bytes_each; ++i)
        bits = bits << 8 | std::to_integer<std::uint64_t>(at[i]);
    return bits;
}

double float_of(std::uint64_t bits, std::uint32_t bytes) {
    if (bytes == 2) return f16::from_bits(static_cast<std::uint16_t>(bits));
    if (bytes == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return std::bit_cast<double>(bits);
}

std::int64_t signed_of(std::uint64_t bits, std::uint32_t bytes) {
    const int unused = 64 - static_cast<int>(bytes) * 8;
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

/// The bits of an integer; none if it doesn't fit.
std::optional<std::uint64_t> whole(bool is_negative, std::uint64_t magnitude, Scalar to) {
    const std::uint64_t all = UINT64_MAX >> (64 - 8 * info(to).bytes);
    const std::uint64_t most = is_signed(to) ? all / 2 + (is_negative ? 1 : 0) : is_negative ? 0 : all;
    if (magnitude > most) return {};
    return is_negative ? 0 - magnitude : magnitude;
}

/// Converts to the bits of type `to`; none if the value doesn't fit.
std::optional<std::uint64_t> from_float(double value, Scalar to) {
    if (to == Scalar::f64) return std::bit_cast<std::uint64_t>(value);
    if (to == Scalar::f32) {
        const auto rounded = static_cast<float>(value);
        if (std::isinf(rounded) && !std::isinf(value)) return {};
        return std::bit_cast<std::uint32_t>(rounded);
    }
    if (to == Scalar::f16) {
        const f16 rounded = semantics::to_f16(value);
        if (!semantics::is_finite(rounded) && std::isfinite(value)) return {};
        return rounded.bits();
    }
    if (value != std::trunc(value) || std::abs(value) >= 0x1p64) return {};
    return whole(value < 0, static_cast<std::uint64_t>(std::abs(value)), to);
}

std::optional<std::uint64_t> from_integer(bool is_negative, std::uint64_t magnitude, Scalar to) {
    if (is_float(to)) {
        const int fraction_bits = to == Scalar::f16   ? 11
                                  : to == Scalar::f64 ? std::numeric_limits<double>::digits
                                                      : std::numeric_limits<float>::digits;
        const int digits =
            magnitude == 0 ? 0 : static_cast<int>(std::bit_width(magnitude)) - std::countr_zero(magnitude);
        const auto value = static_cast<double>(magnitude);
        if (digits > fraction_bits) return {};
        return from_float(is_negative ? -value : value, to);
    }
    return whole(is_negative, magnitude, to);
}

struct Number {
    std::optional<std::uint64_t> bits;  // in the kernel's type
    std::string text;                   // for people; set if there are no bits
};

Number converted(const StoredArray& stored, std::uint64_t index, Scalar to) {
    const std::uint64_t bits = bits_at(stored, index);
    Number number;
    switch (stored.kind) {
        case NumberKind::boolean: number.bits = from_integer(false, bits != 0 ? 1 : 0, to); break;
        case NumberKind::unsigned_integer:
            number.bits = from_integer(false, bits, to);
            if (!number.bits) number.text = std::to_string(bits);
            break;
        case NumberKind::signed_integer: {
            const std::int64_t value = signed_of(bits, stored.bytes_each);
            const auto magnitude = static_cast<std::uint64_t>(value);
            number.bits = from_integer(value < 0, value < 0 ? 0 - magnitude : magnitude, to);
            if (!number.bits) number.text = std::to_string(value);
            break;
        }
        case NumberKind::floating: {
            const double value = float_of(bits, stored.bytes_each);
            number.bits = from_float(value, to);
            if (!number.bits) number.text = fmt::format("{}", value);
            break;
        }
    }
    return number;
}

/// Visits an array's elements in C order, and computes the position of each in the file.
class Walk {
  public:
    explicit Walk(const StoredArray& stored)
        : stored_(stored), index_(stored.shape.size()), stride_(index_.size()) {
        std::uint64_t stride = 1;
        for (std::size_t i = 0; i < stride_.size(); ++i) {
            const std::size_t axis = stored.is_columns_first ? i : stride_.size() - 1 - i;
            stride_[axis] = stride;
            stride *= stored.shape[axis];
        }
    }
    std::uint64_t place() const { return place_; }
    std::span<const std::uint64_t> index() const { return index_; }
    void next() {
        for (std::size_t axis = index_.size(); axis-- > 0;) {
            place_ += stride_[axis];
            if (++index_[axis] < stored_.shape[axis]) return;
            place_ -= stride_[axis] * stored_.shape[axis];
            index_[axis] = 0;
        }
    }

  private:
    const StoredArray& stored_;
    std::vector<std::uint64_t> index_, stride_;
    std::uint64_t place_ = 0;
};

/// The kernel type that a file's numbers already have, if any. Files of smaller types are also
/// converted to larger ones.
std::optional<Scalar> kernel_kind(const StoredArray& stored, Scalar to) {
    const NumberKind kind = is_float(to)    ? NumberKind::floating
                            : is_signed(to) ? NumberKind::signed_integer
                                            : NumberKind::unsigned_integer;
    if (stored.bytes_each == info(to).bytes && stored.kind == kind) return to;
    if (stored.bytes_each != 4) return {};
    switch (stored.kind) {
        case NumberKind::boolean: return {};
        case NumberKind::signed_integer: return Scalar::i32;
        case NumberKind::unsigned_integer: return Scalar::u32;
        case NumberKind::floating: return Scalar::f32;
    }
    return {};
}

std::string note_of(const StoredArray& stored, Scalar to, const std::string& name) {
    std::vector<std::string> changes;
    if (!kernel_kind(stored, to)) {
        const bool rounds = stored.kind == NumberKind::floating && stored.bytes_each == 8 && is_float(to);
        changes.push_back(fmt::format("{} is converted to {}{}", stored.type_name(), info(to).name,
                                      rounds ? ", rounded to the nearest" : ""));
    }
    if (stored.is_big_endian && stored.bytes_each > 1) changes.emplace_back("the byte order is changed");
    if (stored.is_columns_first) changes.emplace_back("rows are put first (it is in Fortran order)");
    if (changes.empty()) return {};
    return fmt::format("\"{}\": {}.", name, fmt::join(changes, "; "));
}

}  // namespace

Result<Converted> convert(const StoredArray& stored, Scalar to, const std::string& name) {
    if (const auto kind = kernel_kind(stored, to); kind && *kind != to)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" holds {} numbers, not {}.", name, info(*kind).name, info(to).name),
                    fmt::format("save array.astype(numpy.{}{}), or let the kernel declare {}",
                                is_float(to)    ? "float"
                                : is_signed(to) ? "int"
                                                : "uint",
                                8 * info(to).bytes, info(*kind).name));
    Converted result{{to, stored.shape, std::vector<std::byte>(stored.count() * info(to).bytes)},
                     note_of(stored, to, name)};
    if (result.note.empty()) {
        result.array.bytes.assign(stored.elements.begin(), stored.elements.end());
        return result;
    }
    Walk walk(stored);
    for (std::uint64_t i = 0; i < stored.count(); ++i, walk.next()) {
        const Number number = converted(stored, walk.place(), to);
        if (!number.bits)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("\"{}\" holds {} at [{}], which isn't {} {}.", name, number.text,
                                    fmt::join(walk.index(), ", "),
                                    info(to).name.starts_with('u') ? "a" : "an", info(to).name),
                        fmt::format("save an array whose values {} can hold", info(to).name));
        std::memcpy(&result.array.bytes[i * info(to).bytes], &*number.bits, info(to).bytes);
    }
    return result;
}

}  // namespace muster::cli
