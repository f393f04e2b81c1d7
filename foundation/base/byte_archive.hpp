// byte_archive.hpp - values as bytes and back: little-endian, every field bounded.
//
//     template <class Archive, class Point>
//     void exchange(Archive& archive, Point& point) { archive.number("x", point.x); archive.text("name", point.name); }
//     ByteWriter writer;          exchange(writer, point);   store(std::move(writer).take());
//     ByteReader reader(bytes);   exchange(reader, read);    if (!reader.done()) say(reader.fault());
//
// Numbers have the size of their type; texts and lists begin with their length, of 8 bytes. Reading gives
// values or a fault, whatever the bytes, and allocates no more than a small multiple of them. Keys aren't
// stored: they name a field in the fault's text. FieldWriter (driver/helper/helper_text.hpp) has the same
// functions for text. Threads: one.
#pragma once

#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace muster {

class ByteWriter {
  public:
    template <std::unsigned_integral Number>
    void number(std::string_view /*key*/, const Number& value) {
        for (std::size_t i = 0; i < sizeof(Number); ++i)
            bytes_.push_back(static_cast<std::byte>(value >> (8 * i) & 0xffu));
    }
    void flag(std::string_view key, bool value) { number(key, static_cast<std::uint8_t>(value)); }
    template <class Enum>
    void choice(std::string_view key, Enum value, Enum /*last*/) {
        number(key, static_cast<std::uint8_t>(value));
    }
    void text(std::string_view key, std::string_view value) { blob(key, std::as_bytes(std::span(value))); }
    void blob(std::string_view key, std::span<const std::byte> value) {
        number(key, std::uint64_t{value.size()});
        raw(value);
    }
    /// Adds bytes as they are, without their length.
    void raw(std::span<const std::byte> value) { bytes_.insert(bytes_.end(), value.begin(), value.end()); }
    std::span<const std::byte> bytes() const { return bytes_; }
    template <std::size_t N>
    void bits(std::string_view key, const std::bitset<N>& value) {
        for (std::size_t first = 0; first < N; first += 8) {
            std::uint8_t byte = 0;
            for (std::size_t i = first; i < N && i < first + 8; ++i)
                byte = static_cast<std::uint8_t>(byte | unsigned{value[i]} << (i - first));
            number(key, byte);
        }
    }
    template <class Item, class Each>
    void list(std::string_view key, const std::vector<Item>& items, Each each) {
        number(key, std::uint64_t{items.size()});
        for (const Item& item : items) each(item);
    }
    std::vector<std::byte> take() && { return std::move(bytes_); }

  private:
    std::vector<std::byte> bytes_;
};

class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <std::unsigned_integral Number>
    void number(std::string_view key, Number& value) {
        if (!has(key, sizeof(Number))) return;
        value = 0;
        for (std::size_t i = 0; i < sizeof(Number); ++i)
            value = static_cast<Number>(value | static_cast<Number>(rest_[i]) << (8 * i));
        rest_ = rest_.subspan(sizeof(Number));
    }
    void flag(std::string_view key, bool& value) {
        std::uint8_t number = 0;
        this->number(key, number);
        if (number > 1) return wrong(key);
        value = number == 1;
    }
    template <class Enum>
    void choice(std::string_view key, Enum& value, Enum last) {
        std::uint8_t number = 0;
        this->number(key, number);
        if (number > static_cast<std::uint8_t>(last)) return wrong(key);
        value = static_cast<Enum>(number);
    }
    void text(std::string_view key, std::string& value) {
        const std::span<const std::byte> bytes = view(key);
        value.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    void blob(std::string_view key, std::vector<std::byte>& value) {
        const std::span<const std::byte> bytes = view(key);
        value.assign(bytes.begin(), bytes.end());
    }
    template <std::size_t N>
    void bits(std::string_view key, std::bitset<N>& value) {
        for (std::size_t first = 0; first < N; first += 8) {
            std::uint8_t byte = 0;
            number(key, byte);
            for (std::size_t i = 0; i < 8; ++i) {
                const bool is_set = (byte >> i & 1u) != 0;
                if (first + i < N)
                    value[first + i] = is_set;
                else if (is_set)
                    return wrong(key);
            }
        }
    }
    template <class Item, class Each>
    void list(std::string_view key, std::vector<Item>& items, Each each) {
        std::uint64_t count = 0;
        number(key, count);
        if (count > rest_.size()) return wrong(key);  // impossible: each item takes at least a byte
        for (std::uint64_t i = 0; i < count && fault_.empty(); ++i) each(items.emplace_back());
    }

    bool done() const { return fault_.empty() && rest_.empty(); }
    bool failed() const { return !fault_.empty(); }
    std::string fault() const {
        return failed() ? "no \"" + fault_ + "\" where one belongs" : "bytes after its end";
    }
    /// Records that a field's value is wrong.
    void wrong(std::string_view key) {
        if (fault_.empty()) fault_ = key;
        rest_ = {};
    }

  private:
    bool has(std::string_view key, std::uint64_t bytes) {
        if (fault_.empty() && bytes <= rest_.size()) return true;
        wrong(key);
        return false;
    }
    std::span<const std::byte> view(std::string_view key) {
        std::uint64_t length = 0;
        number(key, length);
        if (!has(key, length)) return {};
        const std::span<const std::byte> bytes = rest_.first(static_cast<std::size_t>(length));
        rest_ = rest_.subspan(bytes.size());
        return bytes;
    }

    std::span<const std::byte> rest_;
    std::string fault_;  // the key of the first field that is wrong
};

}  // namespace muster
