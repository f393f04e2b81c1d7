// utf8.hpp - code points of UTF-8 text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace muster::wgsl {

struct CodePoint {
    char32_t value = 0;
    std::size_t bytes = 0;  // 0: the bytes here aren't UTF-8
};

/// The code point that begins at `offset`. Overlong forms, surrogates and values over U+10FFFF aren't UTF-8.
/// Precondition: offset < text.size().
CodePoint code_point_at(std::string_view text, std::size_t offset);

/// Where the first byte stands that isn't part of valid UTF-8; none where all is valid.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

}  // namespace muster::wgsl
