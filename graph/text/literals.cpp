#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <muster/graph/text/lexer.hpp>
#include <muster/graph/text/literals.hpp>

namespace muster::graph {
namespace {

constexpr std::int64_t most_listed = 64;  // elements of a tensor that are printed as numbers

bool is_keyword(std::string_view word) {
    return word == "_" || word == "input" || word == "constant" || word == "output";
}

template <class Items, class Print>
std::string listed(const Items& items, Print&& print) {
    std::string text = "[";
    for (const auto& item : items) {
        if (text.size() > 1) text += ", ";
        text += print(item);
    }
    return text + "]";
}
std::string print_integer(std::int64_t number) { return fmt::to_string(number); }

std::string print_contents(const Tensor& tensor) {
    if (tensor.count() <= most_listed && !is_float(tensor.element()))
        return listed(integers(tensor), print_integer);
    if (tensor.count() <= most_listed) {
        const std::vector<float> numbers = floats(tensor);
        const auto is_nan = [](float number) {
            return std::isnan(number);
        };  // whose bits a word wouldn't tell
        if (std::ranges::none_of(numbers, is_nan)) return listed(numbers, print_number);
    }
    std::string text = "hex \"";
    for (const std::byte byte : tensor.bytes())
        fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(byte));
    return text + '"';
}

std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

std::optional<unsigned> hex_pair(std::string_view digits) {
    if (digits.size() < 2) return std::nullopt;
    const auto high = hex_digit(digits[0]), low = hex_digit(digits[1]);
    return high && low ? std::optional(*high * 16 + *low) : std::nullopt;
}

template <class T>
bool append(std::vector<std::byte>& bytes, T value) {
    const auto representation = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), representation.begin(), representation.end());
    return true;
}

template <class T>
bool append_integer(std::vector<std::byte>& bytes, std::string_view text,
                    T most = std::numeric_limits<T>::max()) {
    const auto number = read_integer(text);
    if (!number || *number < std::numeric_limits<T>::min() || *number > most) return false;
    return append(bytes, static_cast<T>(*number));
}

}  // namespace

std::string print_name(std::string_view name) {
    return is_word(name) && !is_keyword(name) ? std::string(name) : print_string(name);
}

std::string print_string(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (c == '\n')
            quoted += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else
            quoted += c;
    }
    return quoted + '"';
}

std::string print_number(float number) { return std::isnan(number) ? "nan" : fmt::format("{}", number); }

std::string print_dimension(const Dimension& dimension) {
    if (dimension.is_unknown()) return "?";
    if (dimension.is_number()) return fmt::to_string(dimension.number());
    std::string text = dimension.factor() == 1 ? "" : fmt::to_string(dimension.factor());
    for (const std::string& symbol : dimension.symbols()) {
        if (!text.empty()) text += '*';
        text += print_name(symbol);
    }
    return text;
}

std::string print_type(const TensorType& type) {
    return std::string(name(type.element)) + listed(type.shape, print_dimension);
}

std::string print_tensor(const Tensor& tensor) {
    return fmt::format("{} = {}", print_type(tensor.type()), print_contents(tensor));
}

std::string print_attribute(const Attribute& attribute) {
    struct Printer {
        std::string operator()(std::int64_t number) const { return print_integer(number); }
        std::string operator()(float number) const { return print_number(number); }
        std::string operator()(const std::string& text) const { return print_string(text); }
        std::string operator()(const Tensor& tensor) const { return print_tensor(tensor); }
        std::string operator()(const std::vector<std::int64_t>& list) const {
            return listed(list, print_integer);
        }
        std::string operator()(const std::vector<float>& list) const { return listed(list, print_number); }
        std::string operator()(const std::vector<std::string>& list) const {
            return listed(list, print_string);
        }
    };
    return std::visit(Printer{}, attribute);
}

std::optional<std::string> read_string(std::string_view escaped) {
    std::string text;
    for (std::size_t i = 0; i < escaped.size(); ++i) {
        if (escaped[i] != '\\') {
            text += escaped[i];
            continue;
        }
        const char what = ++i < escaped.size() ? escaped[i] : '\0';
        if (what == '"' || what == '\\')
            text += what;
        else if (what == 'n')
            text += '\n';
        else if (const auto byte = what == 'x' ? hex_pair(escaped.substr(i + 1)) : std::nullopt) {
            text += static_cast<char>(*byte);
            i += 2;
        } else
            return std::nullopt;
    }
    return text;
}

std::optional<std::int64_t> read_integer(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<float> read_number(std::string_view text) {
    float number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool append_element(std::vector<std::byte>& bytes, ElementType element, std::string_view text) {
    const std::optional<float> number = is_float(element) ? read_number(text) : std::nullopt;
    switch (element) {
        case ElementType::f32: return number && append(bytes, *number);
        case ElementType::f16: return number && append(bytes, f16(*number));
        case ElementType::i8: return append_integer<std::int8_t>(bytes, text);
        case ElementType::u8: return append_integer<std::uint8_t>(bytes, text);
        case ElementType::i32: return append_integer<std::int32_t>(bytes, text);
        case ElementType::i64: return append_integer<std::int64_t>(bytes, text);
        case ElementType::boolean: return append_integer<std::uint8_t>(bytes, text, 1);
    }
    return false;
}

std::optional<std::vector<std::byte>> read_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) return std::nullopt;
    std::vector<std::byte> bytes;
    bytes.reserve(digits.size() / 2);
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const auto byte = hex_pair(digits.substr(i));
        if (!byte) return std::nullopt;
        bytes.push_back(static_cast<std::byte>(*byte));
    }
    return bytes;
}

}  // namespace muster::graph
