#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <muster/foundation/semantics/semantics.hpp>
#include <muster/foundation/wgsl/resolve/override_text.hpp>

namespace muster::wgsl {
namespace {

std::optional<std::uint64_t> integer(std::string_view digits) {
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2), base = 16;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

std::optional<double> number(std::string_view digits) {
    std::chars_format format = std::chars_format::general;
    if (digits.starts_with("0x") || digits.starts_with("0X"))
        digits.remove_prefix(2), format = std::chars_format::hex;
    if (digits.empty() || !(std::isxdigit(static_cast<unsigned char>(digits[0])) != 0 || digits[0] == '.'))
        return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, format);
    if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

/// Accepts 64.0 as 64, for callers that have only doubles.
std::optional<std::uint64_t> whole_number(std::string_view digits) {
    if (const auto exact = integer(digits)) return exact;
    const auto value = number(digits);
    if (!value || *value != std::trunc(*value) || *value > 0x1p53) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

std::string_view suffix_of(Kind kind) {
    return kind == Kind::i32   ? "i"
           : kind == Kind::u32 ? "u"
           : kind == Kind::f16 ? "h"
           : kind == Kind::i64 ? "li"
           : kind == Kind::u64 ? "lu"
           : kind == Kind::f64 ? "lf"
                               : "f";
}

std::unexpected<ConstFault> not_understood(std::string_view text, TypeRef type) {
    const bool is_bool = type->kind == Kind::boolean;
    const std::string_view example = is_bool            ? "true or false"
                                     : type->is_float() ? "a number such as 1.5"
                                                        : "an integer such as 64";
    return std::unexpected(ConstFault{fmt::format("can't take the value \"{}\".", text.substr(0, 60)),
                                      fmt::format("give it {}.", example)});
}

}  // namespace

ConstResult parse_override(std::string_view text, TypeRef type) {
    std::string_view rest = text;
    if (type->kind == Kind::boolean && (rest == "true" || rest == "false"))
        return ConstValue(type, word(std::int64_t{rest == "true"}));
    const bool negative = rest.starts_with('-');
    if (negative || rest.starts_with('+')) rest.remove_prefix(1);
    const std::string_view suffix = suffix_of(type->kind);
    const bool is_hex = rest.starts_with("0x") || rest.starts_with("0X");
    if (rest.size() > suffix.size() && rest.ends_with(suffix) && !(suffix == "f" && is_hex))
        rest.remove_suffix(suffix.size());

    if (type->is_float()) {
        double value = number(rest).value_or(HUGE_VAL) * (negative ? -1.0 : 1.0);
        if (type->kind == Kind::f16) value = float{semantics::to_f16(value)};
        if (type->kind == Kind::f32) value = static_cast<float>(value);
        if (!std::isfinite(value)) return not_understood(text, type);
        return ConstValue(type, word(value));
    }
    const auto magnitude = whole_number(rest);
    if (!magnitude) return not_understood(text, type);
    if (type->kind == Kind::boolean) return ConstValue(type, word(std::int64_t{*magnitude != 0}));
    const bool is_signed = type->kind == Kind::i32 || type->kind == Kind::i64;
    const std::uint64_t all = type->is_wide() ? UINT64_MAX : UINT32_MAX, high = is_signed ? all / 2 : all;
    const std::uint64_t low = is_signed ? high + 1 : 0;  // below zero
    if (*magnitude > (negative ? low : high))
        return std::unexpected(
            ConstFault{fmt::format("can't take the value {}{}.", negative ? "-" : "", *magnitude),
                       fmt::format("give it a value from {}{} to {}.", is_signed ? "-" : "", low, high)});
    return ConstValue(type, word(static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude)));
}

}  // namespace muster::wgsl
