// words.hpp - bytes as the words that they hold. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace muster {

/// The words that stand in these bytes, which needn't be aligned; what is left at the end is passed over. No
/// bytes are no words: memcpy takes no null pointer, which an empty range may begin at.
template <class Word = std::uint32_t>
std::vector<Word> words_in(std::span<const std::byte> bytes) {
    std::vector<Word> words(bytes.size() / sizeof(Word));
    if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Word));
    return words;
}

}  // namespace muster
