// helper_text.hpp - requests to a helper process and its answers as text: one `key value`
// per line, in a fixed order.
//
//     template <class Archive, class Point>
//     void exchange(Archive& archive, Point& point) { archive.number("x", point.x); archive.text("name", point.name); }
//     FieldWriter writer;         exchange(writer, point);   send(std::move(writer).take());
//     FieldReader reader(text);   exchange(reader, read);    if (!reader.done()) say(reader.fault());
//
// Both sides must be of the same build. Texts are preceded by their length. Reading gives values or a fault,
// whatever the bytes. Pure.
#pragma once

#include <bitset>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Writes fields. FieldReader has the same functions and reads them.
class FieldWriter {
  public:
    template <std::unsigned_integral Number>
    void number(std::string_view key, const Number& value) {
        text_ += fmt::format("{} {}\n", key, value);
    }
    void flag(std::string_view key, bool value) { number(key, unsigned{value}); }
    template <class Enum>
    void choice(std::string_view key, Enum value, Enum /*last*/) {
        number(key, static_cast<unsigned>(value));
    }
    void text(std::string_view key, std::string_view value) {
        text_ += fmt::format("{} {}:{}\n", key, value.size(), value);
    }
    template <std::size_t N>
    void bits(std::string_view key, const std::bitset<N>& value) {
        text(key, value.to_string());
    }
    template <class Item, class Each>
    void list(std::string_view key, const std::vector<Item>& items, Each each) {
        number(key, items.size());
        for (const Item& item : items) each(item);
    }
    /// A value that may be missing.
    template <class Value, class Each>
    void maybe(std::string_view key, const std::optional<Value>& value, Each each) {
        flag(key, value.has_value());
        if (value) each(*value);
    }
    void line(std::string_view expected) { text_ += fmt::format("{}\n", expected); }
    std::string take() && { return std::move(text_); }

  private:
    std::string text_;
};

/// Reads fields in order, up to the first line that doesn't match.
class FieldReader {
  public:
    explicit FieldReader(std::string_view text) : rest_(text) {}

    template <std::unsigned_integral Number>
    void number(std::string_view key, Number& value) {
        if (!begins(key)) return;
        const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (failed != std::errc()) return wrong(key);
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        ends(key);
    }
    void flag(std::string_view key, bool& value) {
        unsigned number = 0;
        this->number(key, number);
        if (number > 1) return wrong(key);
        value = number == 1;
    }
    template <class Enum>
    void choice(std::string_view key, Enum& value, Enum last) {
        unsigned number = 0;
        this->number(key, number);
        if (number > static_cast<unsigned>(last)) return wrong(key);
        value = static_cast<Enum>(number);
    }
    void text(std::string_view key, std::string& value) {
        if (!begins(key)) return;
        std::size_t length = 0;
        const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
        const auto digits = static_cast<std::size_t>(end - rest_.data());
        if (failed != std::errc() || digits == rest_.size() || *end != ':' ||
            length > rest_.size() - digits - 1)
            return wrong(key);
        value = rest_.substr(digits + 1, length);
        rest_.remove_prefix(digits + 1 + length);
        ends(key);
    }
    template <std::size_t N>
    void bits(std::string_view key, std::bitset<N>& value) {
        std::string digits;
        text(key, digits);
        if (digits.size() != N || digits.find_first_not_of("01") != std::string::npos) return wrong(key);
        value = std::bitset<N>(digits);
    }
    template <class Item, class Each>
    void list(std::string_view key, std::vector<Item>& items, Each each) {
        std::size_t count = 0;
        number(key, count);
        if (count > rest_.size()) return wrong(key);  // impossible: each item takes at least a byte
        for (std::size_t i = 0; i < count && !fault_; ++i) each(items.emplace_back());
    }
    template <class Value, class Each>
    void maybe(std::string_view key, std::optional<Value>& value, Each each) {
        bool has_value = false;
        flag(key, has_value);
        if (has_value) each(value.emplace());
    }
    void line(std::string_view expected) {
        if (fault_) return;
        if (!rest_.starts_with(expected)) return wrong(expected);
        rest_.remove_prefix(expected.size());
        ends(expected);
    }

    bool done() const { return !fault_ && rest_.empty(); }
    std::string fault() const { return fault_ ? *fault_ : "bytes after its end"; }

  private:
    bool begins(std::string_view key) {
        if (fault_) return false;
        if (!rest_.starts_with(key) || !rest_.substr(key.size()).starts_with(' ')) {
            wrong(key);
            return false;
        }
        rest_.remove_prefix(key.size() + 1);
        return true;
    }
    void ends(std::string_view key) {
        if (!rest_.starts_with('\n')) return wrong(key);
        rest_.remove_prefix(1);
    }
    void wrong(std::string_view key) {
        if (!fault_) fault_ = fmt::format("no \"{}\" where one belongs", key);
    }

    std::string_view rest_;
    std::optional<std::string> fault_;
};

/// Reads a value's whole text by exchange(reader, value). Errors: io_failed, with what isn't understood.
template <class Value, class Exchange>
Result<Value> read_answer(std::string_view text, Exchange exchange) {
    FieldReader reader(text);
    Value value;
    exchange(reader, value);
    if (reader.done()) return value;
    return fail(ErrorCode::io_failed,
                fmt::format("The answer of {} bytes has {}.", text.size(), reader.fault()));
}

/// Writes or reads an Error. Names all its members, so that adding one doesn't compile
/// until it is exchanged, too.
template <class Archive, class Problem>
void exchange_error(Archive& archive, Problem& value) {
    auto& [code, message, fix, context] = value;
    archive.choice("code", code, ErrorCode::internal);
    archive.text("message", message);
    archive.text("fix", fix);
    archive.list("steps", context, [&](auto& step) { archive.text("step", step); });
}

MUSTER_API_END
}  // namespace muster
