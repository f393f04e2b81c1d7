// source_fields.hpp - the fields of small structures that several stored formats contain, for ByteWriter and
// ByteReader (byte_archive.hpp). Internal. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <muster/foundation/base/byte_archive.hpp>
#include <muster/foundation/base/source.hpp>

namespace muster {

template <class Archive, class Location>
void exchange_location(Archive& archive, Location& value) {
    auto& [file, line, column] = value;
    archive.number("file", file);
    archive.number("line", line);
    archive.number("column", column);
}

template <class Archive, class Extent>
void exchange_extent(Archive& archive, Extent& value) {
    auto& [x, y, z] = value;
    archive.number("x", x);
    archive.number("y", y);
    archive.number("z", z);
}

template <class Archive, class Digest>
void exchange_digest(Archive& archive, Digest& value) {
    for (auto& word : value.words) archive.number("word of a digest", word);
}

/// A number that may be missing.
template <class Number>
void exchange_optional(ByteWriter& writer, std::string_view key, const std::optional<Number>& value) {
    writer.flag(key, value.has_value());
    if (value) writer.number(key, *value);
}
template <class Number>
void exchange_optional(ByteReader& reader, std::string_view key, std::optional<Number>& value) {
    bool has_value = false;
    reader.flag(key, has_value);
    if (has_value) reader.number(key, value.emplace());
}

inline void exchange_file(ByteWriter& writer, const SourceFile& file) {
    const auto& [name, text] = file;
    writer.text("file", name);
    writer.flag("has_text", text != nullptr);
    if (text) writer.text("text", *text);
}
inline void exchange_file(ByteReader& reader, SourceFile& file) {
    auto& [name, text] = file;
    bool has_text = false;
    reader.text("file", name);
    reader.flag("has_text", has_text);
    if (!has_text) return;
    std::string read;
    reader.text("text", read);
    text = std::make_shared<const std::string>(std::move(read));
}

}  // namespace muster
