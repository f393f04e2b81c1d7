// utf8.hpp - decodes code points of UTF-8 text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace muster::wgsl {

struct CodePoint {
    char32_t value = 0;
    std::size_t bytes = 0;  // 0: the bytes here aren't UTF-8
};

/// The code point that begins at `offset`. Overlong forms, surrogates and values over U+10FFFF are invalid.
/// Precondition: offset < text.size().
CodePoint code_point_at(std::string_view text, std::size_t offset);

/// The offset of the first byte that isn't valid UTF-8; none if the text is valid.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

}  // namespace muster::wgsl
