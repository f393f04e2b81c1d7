#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <muster/foundation/semantics/semantics.hpp>
#include <muster/foundation/wgsl/tokens/literal.hpp>

namespace muster::wgsl {
namespace {

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_hexadecimal(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }
unsigned hex_value(char c) {
    if (is_digit(c)) return static_cast<unsigned>(c - '0');
    return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}

// A binary floating-point format: bits of the significand, the exponent of its smallest unit, and the
// exponent at which it overflows.
struct FloatFormat {
    int precision;
    std::int64_t smallest_quantum;
    std::int64_t overflow_exponent;
};
constexpr FloatFormat f64_format{53, -1074, 1024}, f32_format{24, -149, 128}, f16_format{11, -24, 16};
FloatFormat format_of(char suffix) {
    if (suffix == 'f') return f32_format;
    if (suffix == 'h') return f16_format;
    return f64_format;
}

std::int64_t bits_of(std::uint64_t x) { return static_cast<std::int64_t>(std::bit_width(x)); }

// Computes significand * 2^exponent, plus a little more if `sticky`, rounded to nearest even.
struct Rounded {
    double value = 0;
    bool exact = true;
    bool overflows = false;
};
Rounded round_to(FloatFormat format, std::uint64_t significand, bool sticky, std::int64_t exponent) {
    if (significand == 0) return {};
    const std::int64_t top = exponent + bits_of(significand);
    const std::int64_t quantum = std::max(top - format.precision, format.smallest_quantum);
    const std::int64_t drop = quantum - exponent;
    std::uint64_t kept = significand;
    bool exact = !sticky;
    if (drop > 64) {
        kept = 0, exact = false;
    } else if (drop > 0) {
        kept = drop == 64 ? 0 : significand >> drop;
        const std::uint64_t half = std::uint64_t{1} << (drop - 1);
        const std::uint64_t lost = drop == 64 ? significand : significand & ((half << 1) - 1);
        exact = exact && lost == 0;
        if (lost > half || (lost == half && (sticky || (kept & 1) != 0))) ++kept;
    }
    const std::int64_t unit = std::max(quantum, exponent);
    if (kept != 0 && unit + bits_of(kept) > format.overflow_exponent) return {0, false, true};
    if (kept == 0) return {0, exact, false};
    if (drop <= 0)
        return {std::ldexp(static_cast<double>(significand), static_cast<int>(exponent)), exact, false};
    return {std::ldexp(static_cast<double>(kept), static_cast<int>(quantum)), exact, false};
}

// The value of digits with an optional sign, clamped to a bound that shifts by a text's length
// can't bring back into range.
std::int64_t read_exponent(std::string_view text) {
    constexpr std::int64_t bound = std::int64_t{1} << 40;
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    std::int64_t value = 0;
    for (const char c : text) value = std::min(bound, value * 10 + (c - '0'));
    return negative ? -value : value;
}

Rounded read_hex_float(std::string_view text, FloatFormat format) {
    text.remove_prefix(2);
    const std::size_t p = std::min(text.find_first_of("pP"), text.size());
    std::int64_t exponent = p == text.size() ? 0 : read_exponent(text.substr(p + 1));
    std::uint64_t significand = 0;
    bool sticky = false, after_point = false;
    for (const char c : text.substr(0, p)) {
        if (c == '.') {
            after_point = true;
            continue;
        }
        if (after_point) exponent -= 4;
        if (significand >> 60 == 0) {
            significand = significand << 4 | hex_value(c);
        } else {
            exponent += 4;
            sticky = sticky || c != '0';
        }
    }
    return round_to(format, significand, sticky, exponent);
}

// The position of the first non-zero digit, as a power of ten; none if all digits are zero.
std::optional<std::int64_t> decimal_magnitude(std::string_view text) {
    const std::size_t e = std::min(text.find_first_of("eE"), text.size());
    const std::string_view digits = text.substr(0, e);
    const std::size_t first = digits.find_first_not_of("0.");
    if (first == std::string_view::npos) return std::nullopt;
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::int64_t exponent = e == text.size() ? 0 : read_exponent(text.substr(e + 1));
    return exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
}

template <class Float>
Rounded read_decimal_float(std::string_view text) {
    const std::optional<std::int64_t> magnitude = decimal_magnitude(text);
    if (!magnitude || *magnitude < -400) return {};
    if (*magnitude > 400) return {0, false, true};
    Float value = 0;
    const auto status = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status.ec == std::errc::result_out_of_range) return {0, false, *magnitude > 0};
    return {value, true, !std::isfinite(value)};
}

Number read_float(std::string_view text, char suffix) {
    Number number{.is_float = true, .suffix = suffix};
    const bool hexadecimal = is_hexadecimal(text);
    Rounded rounded;
    if (hexadecimal) {
        rounded = read_hex_float(text, format_of(suffix));
    } else if (suffix == 'f') {
        rounded = read_decimal_float<float>(text);
    } else {
        rounded = read_decimal_float<double>(text);
        if (suffix == 'h') {
            rounded.value = double{semantics::to_f16(rounded.value)};
            rounded.overflows = rounded.overflows || !std::isfinite(rounded.value);
        }
    }
    number.value = rounded.value;
    if (rounded.overflows) {
        number.fault = NumberFault::too_large;
    } else if (hexadecimal && suffix != 0 && !rounded.exact) {
        number.fault = NumberFault::inexact;
    }
    return number;
}

Number read_integer(std::string_view text, char suffix) {
    Number number{.suffix = suffix};
    const int base = is_hexadecimal(text) ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    const auto status = std::from_chars(text.data(), text.data() + text.size(), number.integer, base);
    std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
    if (suffix == 'i') limit = std::numeric_limits<std::int32_t>::max();
    if (suffix == 'u') limit = std::numeric_limits<std::uint32_t>::max();
    if (suffix == long_u) limit = std::numeric_limits<std::uint64_t>::max();
    if (status.ec != std::errc{} || number.integer > limit) number.fault = NumberFault::too_large;
    return number;
}

}  // namespace

NumberExtent scan_number(std::string_view text, std::size_t at) {
    const bool hexadecimal = is_hexadecimal(text.substr(at, 2));
    std::size_t end = at + (hexadecimal ? 2 : 0);
    const auto peek = [&] { return end < text.size() ? text[end] : '\0'; };
    const auto skip = [&](auto is_figure) {
        const std::size_t first = end;
        while (is_figure(peek())) ++end;
        return end - first;
    };
    std::size_t figures = skip(hexadecimal ? is_hex_digit : is_digit);
    const bool leading_zero = !hexadecimal && figures > 1 && text[at] == '0';
    bool is_float = false, has_exponent = false;
    TokenFault fault = TokenFault::none;
    if (peek() == '.') {
        is_float = true;
        ++end;
        figures += skip(hexadecimal ? is_hex_digit : is_digit);
    }
    if (figures == 0) fault = TokenFault::no_hex_digits;
    if (char c = peek(); hexadecimal ? c == 'p' || c == 'P' : c == 'e' || c == 'E') {
        is_float = has_exponent = true;
        ++end;
        if (peek() == '+' || peek() == '-') ++end;
        if (skip(is_digit) == 0) fault = TokenFault::no_exponent_digits;
    }
    if (leading_zero && !is_float) fault = TokenFault::leading_zero;
    const bool may_be_float = !hexadecimal || has_exponent;
    const bool is_long = peek() == 'l';
    const char letter = is_long && end + 1 < text.size() ? text[end + 1] : is_long ? '\0' : peek();
    const bool float_suffix = (letter == 'f' || (letter == 'h' && !is_long)) && may_be_float;
    const bool integer_suffix = (letter == 'i' || letter == 'u') && !is_float;
    if (float_suffix || integer_suffix) end += is_long ? 2 : 1;
    return {end, fault};
}

Number read_number(std::string_view text) {
    const bool hexadecimal = is_hexadecimal(text);
    const bool has_exponent = text.find_first_of(hexadecimal ? "pP" : "eE") != std::string_view::npos;
    const char last = text.back();
    const bool float_suffix = (last == 'f' || last == 'h') && (!hexadecimal || has_exponent);
    const bool integer_suffix = last == 'i' || last == 'u';
    char suffix = float_suffix || integer_suffix ? last : '\0';
    if (suffix != 0) text.remove_suffix(1);
    if (suffix != 0 && text.back() == 'l') {
        suffix = suffix == 'i' ? long_i : suffix == 'u' ? long_u : long_f;
        text.remove_suffix(1);
    }
    const bool is_float = float_suffix || has_exponent || text.find('.') != std::string_view::npos;
    return is_float ? read_float(text, suffix) : read_integer(text, suffix);
}

}  // namespace muster::wgsl
