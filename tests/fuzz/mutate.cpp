#include "mutate.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace muster::fuzz {
namespace {

using interpreter::Random;

enum class Kind : std::uint8_t { word, number, sign, space };
struct Token {
    Kind kind;
    std::string text;
};
using Tokens = std::vector<Token>;

// clang-format off
constexpr std::array<std::string_view, 150> words{
    "i32", "u32", "f32", "f16", "bool", "vec2", "vec3", "vec4", "vec2u", "vec3f", "vec4i", "vec2h", "mat2x2f", "mat3x4f",
    "mat4x3h", "array", "atomic", "ptr", "function", "private", "workgroup", "storage", "uniform", "read", "read_write",
    "i8", "u8", "i16", "u16", "buffer", "bufferView", "bufferLength", "bufferArrayView",
    "if", "else", "for", "while", "loop", "continuing", "break", "continue", "switch", "case", "default", "return", "let",
    "var", "const", "override", "struct", "fn", "alias", "const_assert", "enable", "requires", "diagnostic", "true",
    "false", "discard", "subgroups", "muster_float_atomics", "muster_int8_int16", "muster_grid_barrier", "buffer_view",
    "abs", "acos", "all", "any", "arrayLength", "atan2", "bitcast", "ceil", "clamp", "cos", "countLeadingZeros",
    "countOneBits", "cross", "degrees", "determinant", "distance", "dot", "dot4I8Packed", "exp", "extractBits",
    "faceForward", "firstLeadingBit", "firstTrailingBit", "floor", "fma", "fract", "frexp", "insertBits",
    "inverseSqrt", "ldexp", "length", "log", "log2", "max", "min", "mix", "modf", "normalize", "pack2x16float",
    "pack4x8snorm", "pow", "quantizeToF16", "reflect", "refract", "reverseBits", "round", "saturate", "select", "sign",
    "sin", "smoothstep", "sqrt", "step", "tan", "tanh", "transpose", "trunc", "unpack2x16float", "unpack4xU8",
    "atomicAdd", "atomicSub", "atomicMax", "atomicMin", "atomicAnd", "atomicExchange", "atomicCompareExchangeWeak",
    "atomicLoad", "atomicStore", "workgroupBarrier", "storageBarrier", "workgroupUniformLoad", "gridBarrier",
    "gridUniformLoad", "subgroupAdd", "subgroupExclusiveAdd", "subgroupMax", "subgroupBallot", "subgroupBroadcast",
    "subgroupElect", "subgroupShuffleUp", "subgroupShuffleXor", "subgroupAny", "quadBroadcast", "quadSwapX",
    "subgroup_size", "num_workgroups",
};
constexpr std::array<std::string_view, 27> numbers{
    "0", "1", "2", "3", "4", "7", "8", "16", "31", "32", "33", "64", "255", "256", "65535", "65536", "2147483647",
    "2147483648", "4294967295u", "0u", "1i", "0.5", "1e-40f", "3.4e38", "65504h", "0x1p-24h", "1f",
};
constexpr std::array<std::string_view, 41> signs{
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "!", "~", "=",
    "+=", "-=", "*=", "/=", "%=", "&=", "<<=", "++", "--", ".", ",", ";", ":", "(", ")", "[", "]", "{", "}", "@",
};
// clang-format on

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The text's tokens; comments and white space are single spaces.
Tokens tokens_of(std::string_view text) {
    Tokens tokens;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
        end = at + 1;
        const auto extend = [&](auto holds) {
            while (end < text.size() && holds(text[end])) ++end;
        };
        Kind kind = Kind::sign;
        if (text.substr(at, 2) == "//") {
            extend([](char c) { return c != '\n'; });
            kind = Kind::space;
        } else if (is_space(text[at])) {
            extend(is_space);
            kind = Kind::space;
        } else if (is_digit(text[at])) {
            extend([](char c) { return is_word(c) || c == '.'; });
            kind = Kind::number;
        } else if (is_word(text[at])) {
            extend(is_word);
            kind = Kind::word;
        } else {  // the longest sign that begins here
            for (const std::string_view sign : signs)
                if (sign.size() > end - at && text.substr(at, sign.size()) == sign) end = at + sign.size();
        }
        if (kind != Kind::space) {
            tokens.push_back({kind, std::string(text.substr(at, end - at))});
        } else if (!tokens.empty() && tokens.back().kind != Kind::space) {
            tokens.push_back({kind, text.substr(at, end - at).contains('\n') ? "\n" : " "});
        }
    }
    return tokens;
}

std::string text_of(const Tokens& tokens) {
    std::string text;
    for (const Token& token : tokens) text += token.text;
    return text;
}

std::size_t below(Random& random, std::size_t bound) {
    return random.below(static_cast<std::uint32_t>(bound));
}

/// The position of some token that isn't white space; the number of tokens if none is found.
std::size_t some_token(const Tokens& tokens, Random& random) {
    for (int tries = 0; tries < 8 && !tokens.empty(); ++tries)
        if (const std::size_t at = below(random, tokens.size()); tokens[at].kind != Kind::space) return at;
    return tokens.size();
}

struct Range {
    std::size_t first = 0, end = 0;
};

/// A statement or declaration: from behind a semicolon or brace to the next semicolon, or to the brace that closes its body.
Range statement(const Tokens& tokens, Random& random) {
    std::vector<std::size_t> starts{0};
    for (std::size_t at = 0; at < tokens.size(); ++at)
        if (tokens[at].text == ";" || tokens[at].text == "{" || tokens[at].text == "}")
            starts.push_back(at + 1);
    const std::size_t first = starts[below(random, starts.size())];
    int depth = 0;
    for (std::size_t at = first; at < tokens.size(); ++at) {
        const std::string& text = tokens[at].text;
        depth += text == "{" || text == "(";
        depth -= text == "}" || text == ")";
        if (depth < 0) return {first, at};
        if (depth == 0 && (text == ";" || text == "}")) return {first, at + 1};
    }
    return {first, tokens.size()};
}

std::string_view other_word(const Token& token, Random& random) {
    switch (token.kind) {
        case Kind::word: return words[below(random, words.size())];
        case Kind::number: return numbers[below(random, numbers.size())];
        case Kind::sign: return signs[below(random, signs.size())];
        case Kind::space: break;
    }
    return " ";
}

void replace_by_other_of_text(Tokens& tokens, std::size_t at, Random& random) {
    for (int tries = 0; tries < 16; ++tries) {
        const Token& other = tokens[below(random, tokens.size())];
        if (other.kind != tokens[at].kind || other.text == tokens[at].text) continue;
        tokens[at].text = std::string(other.text);
        return;
    }
}

Tokens copy(const Tokens& tokens, Range range) {
    return {tokens.begin() + static_cast<std::ptrdiff_t>(range.first),
            tokens.begin() + static_cast<std::ptrdiff_t>(range.end)};
}

void insert(Tokens& tokens, std::size_t at, const Tokens& what) {
    tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), what.begin(), what.end());
}

void erase(Tokens& tokens, Range range) {
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(range.first),
                 tokens.begin() + static_cast<std::ptrdiff_t>(range.end));
}

void swap_statements(Tokens& tokens, Random& random) {
    Range first = statement(tokens, random), second = statement(tokens, random);
    if (first.first > second.first) std::swap(first, second);
    if (first.end > second.first) return;
    const Tokens from = copy(tokens, first), to = copy(tokens, second);
    erase(tokens, second);
    insert(tokens, second.first, from);
    erase(tokens, first);
    insert(tokens, first.first, to);
}

void change(Tokens& tokens, Random& random) {
    const std::size_t at = some_token(tokens, random);
    if (at == tokens.size()) return;
    switch (random.below(10)) {
        case 0:
        case 1:
        case 2: return replace_by_other_of_text(tokens, at, random);
        case 3:
        case 4: tokens[at].text = std::string(other_word(tokens[at], random)); return;
        case 5: return erase(tokens, {at, at + 1});
        case 6:
            if (const std::size_t other = some_token(tokens, random); other < tokens.size())
                std::swap(tokens[at].text, tokens[other].text);
            return;
        case 7: {
            const Tokens what = copy(tokens, statement(tokens, random));
            return insert(tokens, statement(tokens, random).first, what);
        }
        case 8: return erase(tokens, statement(tokens, random));
        default: return swap_statements(tokens, random);
    }
}

/// True for files that aren't text: they are changed by bytes.
bool is_binary(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return c == '\0' || (c & 0x80) != 0; });
}

std::uint32_t some_number(Random& random) {
    constexpr std::array<std::uint32_t, 8> edges{0,      1,          0x7f,       0xff,
                                                 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
    return random.below(3) == 0 ? random.below(64) : edges[below(random, edges.size())];
}

void change_bytes(std::string& bytes, Random& random) {
    if (bytes.empty()) bytes.push_back('\0');
    const std::size_t at = below(random, bytes.size()), left = bytes.size() - at;
    const std::size_t some = 1 + below(random, std::min<std::size_t>(left, 64));
    switch (random.below(8)) {
        case 0: bytes[at] = static_cast<char>(random.below(256)); return;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8))); return;
        case 2:  // a number of two, four or eight bytes
        case 3: {
            const std::uint32_t number = some_number(random);
            const std::size_t size = std::min<std::size_t>(left, std::size_t{2} << random.below(3));
            for (std::size_t i = 0; i < size; ++i)
                bytes[at + i] = i < 4 ? static_cast<char>(number >> (8 * i)) : bytes[at + i];
            return;
        }
        case 4: bytes.erase(at, some); return;
        case 5: bytes.insert(below(random, bytes.size()), std::string(bytes, at, some)); return;
        case 6: {
            const std::string moved(bytes, at, some);
            return void(
                bytes.replace(std::min(below(random, bytes.size()), bytes.size() - some), some, moved));
        }
        default:
            bytes.resize(random.below(4) == 0 ? at
                                              : bytes.size() - std::min<std::size_t>(some, bytes.size()));
    }
}

}  // namespace

std::string mutated(std::string_view text, Random& random) {
    if (is_binary(text)) {
        std::string bytes(text);
        for (std::uint32_t changes = 1 + random.below(4); changes > 0; --changes) change_bytes(bytes, random);
        return bytes;
    }
    Tokens tokens = tokens_of(text);
    for (std::uint32_t changes = 1 + random.below(4); changes > 0; --changes) change(tokens, random);
    return text_of(tokens);
}

std::string spliced(std::string_view to, std::string_view from, Random& random) {
    if (is_binary(to) || is_binary(from)) {
        if (from.empty()) return std::string(to);
        const std::size_t at = below(random, from.size());
        std::string bytes(to);
        return bytes.insert(below(random, to.size() + 1),
                            from.substr(at, 1 + below(random, from.size() - at)));
    }
    Tokens tokens = tokens_of(to);
    const Tokens others = tokens_of(from);
    const Tokens what = copy(others, statement(others, random));
    insert(tokens, statement(tokens, random).first, what);
    return text_of(tokens);
}

}  // namespace muster::fuzz
