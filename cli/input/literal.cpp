#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <muster/cli/input/literal.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::cli {
namespace {

std::unexpected<Error> not_a(std::string_view text, Scalar scalar, std::string_view why) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("\"{}\" isn't a value of type {}: {}.", text, info(scalar).name, why));
}

std::string_view without_suffix(std::string_view digits, Scalar scalar) {
    const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X") || digits.starts_with("-0x");
    const char suffix = scalar == Scalar::f16 ? 'h' : is_float(scalar) ? 'f' : is_signed(scalar) ? 'i' : 'u';
    const bool is_word = digits.ends_with("inf");
    if (digits.size() > 1 && digits.back() == suffix && !is_word && !(is_hex && suffix == 'f')) {
        digits.remove_suffix(1);
        if (is_wide(scalar) && digits.size() > 1 && digits.back() == 'l') digits.remove_suffix(1);
    }
    return digits;
}

template <class Float>
Result<Float> parse_float(std::string_view text, Scalar scalar) {
    const std::string_view digits = without_suffix(text, scalar);
    Float value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size())
        return not_a(text, scalar, "it isn't a number");
    if (error != std::errc{}) return not_a(text, scalar, "it is out of range");
    return value;
}

Result<std::uint64_t> parse_half(std::string_view text) {
    const double value = TRY(parse_float<double>(text, Scalar::f16));
    const f16 rounded = semantics::to_f16(value);
    if (std::isfinite(value) && !semantics::is_finite(rounded))
        return not_a(text, Scalar::f16, "it is out of range");
    return rounded.bits();
}

Result<std::uint64_t> parse_integer(std::string_view text, Scalar scalar) {
    std::string_view digits = without_suffix(text, scalar);
    const bool is_negative = digits.starts_with('-');
    if (is_negative) digits.remove_prefix(1);
    const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
    if (is_hex) digits.remove_prefix(2);
    std::uint64_t magnitude = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, is_hex ? 16 : 10);
    if (error == std::errc{} && end != digits.data() + digits.size())
        return not_a(text, scalar, "it isn't a whole number");
    if (error == std::errc::invalid_argument) return not_a(text, scalar, "it isn't a number");
    const std::uint64_t all = UINT64_MAX >> (64 - 8 * info(scalar).bytes);
    const std::uint64_t most = is_signed(scalar) ? all / 2 + (is_negative ? 1 : 0) : is_negative ? 0 : all;
    if (error != std::errc{} || magnitude > most) return not_a(text, scalar, "it is out of range");
    if (!is_negative) return magnitude;
    return (~magnitude + 1u) & (is_wide(scalar) ? UINT64_MAX : UINT32_MAX);
}

}  // namespace

Result<std::uint64_t> parse_number(std::string_view text, Scalar scalar) {
    if (text.starts_with('+')) text.remove_prefix(1);
    switch (scalar) {
        case Scalar::f32: return semantics::to_bits(TRY(parse_float<float>(text, scalar)));
        case Scalar::f16: return parse_half(text);
        case Scalar::boolean:
        case Scalar::i8:
        case Scalar::u8:
        case Scalar::i16:
        case Scalar::u16:
        case Scalar::i32:
        case Scalar::u32:
        case Scalar::i64:
        case Scalar::u64: return parse_integer(text, scalar);
        case Scalar::f64: return semantics::to_bits(TRY(parse_float<double>(text, scalar)));
    }
    return not_a(text, scalar, "it isn't a number");
}

std::string format_number(std::uint64_t number, Scalar scalar) {
    const auto bits = static_cast<std::uint32_t>(number);
    switch (scalar) {
        case Scalar::f32: return fmt::format("{}", std::bit_cast<float>(bits));
        case Scalar::f16: return fmt::format("{}", float{semantics::low_half(bits)});
        case Scalar::i32: return fmt::format("{}", std::bit_cast<std::int32_t>(bits));
        case Scalar::i8: return fmt::format("{}", static_cast<std::int8_t>(bits));
        case Scalar::i16: return fmt::format("{}", static_cast<std::int16_t>(bits));
        case Scalar::boolean:
        case Scalar::u8:
        case Scalar::u16:
        case Scalar::u32: return fmt::format("{}", bits);
        case Scalar::i64: return fmt::format("{}", static_cast<std::int64_t>(number));
        case Scalar::u64: return fmt::format("{}", number);
        case Scalar::f64: return fmt::format("{}", std::bit_cast<double>(number));
    }
    return {};
}

}  // namespace muster::cli
