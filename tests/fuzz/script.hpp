// script.hpp - a text as a list of steps, for targets that call an interface in any order: a word with the numbers behind it.
//
//     Script script("buffer 0 64 128; copy 0 1;");
//     while (const auto step = script.next(calls)) calls[*step].run(script.number(), script.number());
//
// Any bytes are steps: a word that isn't known stands for one of the known ones, and numbers that aren't there are 0, so that
// mutations of words and numbers give other steps rather than errors. Threads: one.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace muster::fuzz {

class Script {
  public:
    explicit Script(std::string_view text) : left_(text) {}

    /// The next step: the position of its word among `known`, which have a `name`. Nothing at the end.
    template <class Known>
    std::optional<std::size_t> next(std::span<const Known> known) {
        while (const auto token = take([](char) { return true; })) {
            if (is_digit(token->front())) continue;  // more numbers than the step before takes
            for (std::size_t i = 0; i < known.size(); ++i)
                if (known[i].name == *token) return i;
            std::size_t hash = 0;
            for (const char c : *token) hash = hash * 31 + static_cast<unsigned char>(c);
            return hash % known.size();
        }
        return std::nullopt;
    }

    /// The next number of this step; at most 2^64 - 1. 0 if there is none.
    std::uint64_t number() {
        const auto token = take(is_digit);
        if (!token) return 0;
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(token->data(), token->data() + token->size(), value);
        return error == std::errc::result_out_of_range ? std::numeric_limits<std::uint64_t>::max() : value;
    }
    /// The next number, made one below `bound`.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(number() % bound); }

  private:
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_part(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
    }

    /// The next token, if its first character is of this kind.
    template <class Kind>
    std::optional<std::string_view> take(Kind&& kind) {
        const auto begin = std::ranges::find_if(left_, is_part);
        if (begin == left_.end() || !kind(*begin)) return std::nullopt;
        const auto end = std::find_if_not(begin, left_.end(), is_part);
        const std::string_view token(begin, end);
        left_ = std::string_view(end, left_.end());
        return token;
    }

    std::string_view left_;
};

}  // namespace muster::fuzz
