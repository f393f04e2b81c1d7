#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/cli/input/spec.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

constexpr std::string_view known_specs =
    "a .npy, .png, .jpg or .bin file, FILE.npz:NAME, zeros:TYPE:COUNT, random:TYPE:COUNT:SEED, "
    "iota:TYPE:COUNT, like:NAME, "
    "extent:NAME "
    "or literal values (1,2,3 or f32:1,2,3)";

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == text.npos) return parts;
        text.remove_prefix(end + 1);
    }
}

Result<Spec> generated(Spec::Kind kind, std::string_view text) {
    const auto parts = split(text, ':');
    const std::size_t most = kind == Spec::Kind::random ? 4 : 3;
    const auto wrong = [&](std::string_view why) {
        return fail(ErrorCode::invalid_argument, fmt::format("The SPEC \"{}\" {}.", text, why),
                    fmt::format("write {}:TYPE:COUNT{}, for instance {}:f32:1024{}", parts[0],
                                most == 4 ? ":SEED" : "", parts[0], most == 4 ? ":1" : ""));
    };
    if (parts.size() < 3 || parts.size() > most || parts[1].empty())
        return wrong(fmt::format("isn't complete"));
    Spec spec{kind, {}, std::string(parts[1]), {}, 0};
    for (const std::string_view length : split(parts[2], ',')) {
        const auto value = number_in<std::uint64_t>(length);
        if (!value) return wrong(fmt::format("has the count \"{}\", which isn't a whole number", parts[2]));
        spec.shape.push_back(*value);
    }
    if (parts.size() == 4) {
        const auto seed = number_in<std::uint64_t>(parts[3]);
        if (!seed) return wrong(fmt::format("has the seed \"{}\", which isn't a whole number", parts[3]));
        spec.seed = *seed;
    }
    return spec;
}

/// Parses TYPE:1,2,3 and, with the name of a scalar or vector, TYPE 1 2 3. None: the text
/// doesn't begin with a TYPE.
std::optional<Spec> typed_literal(std::string_view text) {
    constexpr std::array<std::string_view, 5> types{"f32", "i32", "u32", "bool", "vec"};
    const std::size_t end = text.find(':');
    const std::size_t space = std::min(text.find(' '), text.size());
    if (end != text.npos && end > 0)
        return Spec{
            Spec::Kind::literal, std::string(text.substr(end + 1)), std::string(text.substr(0, end)), {}, 0};
    const std::string_view word = text.substr(0, space);
    const auto begins = [&](std::string_view type) {
        return word == type || (type == "vec" && word.starts_with(type));
    };
    if (space == text.size() || std::ranges::none_of(types, begins)) return {};
    return Spec{Spec::Kind::literal, std::string(text.substr(space + 1)), std::string(word), {}, 0};
}

/// Parses FILE.npz:NAME. Without ":NAME" the name is empty, and the error for it lists the file's arrays.
std::optional<Spec> array_in_npz(std::string_view text) {
    constexpr std::string_view extension = ".npz";
    for (std::size_t dot = text.find('.'); dot != text.npos; dot = text.find('.', dot + 1)) {
        const std::string_view rest = text.substr(dot);
        if (extension_of(std::string(text.substr(0, dot + extension.size()))) != extension) continue;
        if (rest.size() == extension.size()) return Spec{Spec::Kind::npz, std::string(text), {}, {}, 0};
        if (rest[extension.size()] != ':') continue;
        return Spec{Spec::Kind::npz,
                    std::string(text.substr(0, dot + extension.size())),
                    std::string(rest.substr(extension.size() + 1)),
                    {},
                    0};
    }
    return {};
}

}  // namespace

Result<Spec> parse_spec(std::string_view text) {
    using Kind = Spec::Kind;
    constexpr std::array<std::pair<std::string_view, Kind>, 3> generators{
        {{"zeros:", Kind::zeros}, {"random:", Kind::random}, {"iota:", Kind::iota}}};
    for (const auto& [prefix, kind] : generators) {
        if (text.starts_with(prefix)) return generated(kind, text);
    }
    constexpr std::array<std::pair<std::string_view, Kind>, 2> references{
        {{"like:", Kind::like}, {"extent:", Kind::extent}}};
    for (const auto& [prefix, kind] : references) {
        if (text.starts_with(prefix)) return Spec{kind, std::string(text.substr(prefix.size())), {}, {}, 0};
    }
    if (auto array = array_in_npz(text)) return *std::move(array);
    constexpr std::array<std::pair<std::string_view, Kind>, 5> files{{{".npy", Kind::npy},
                                                                      {".png", Kind::image},
                                                                      {".jpg", Kind::image},
                                                                      {".jpeg", Kind::image},
                                                                      {".bin", Kind::raw}}};
    const std::string extension = extension_of(std::string(text));
    for (const auto& [known, kind] : files) {
        if (extension == known) return Spec{kind, std::string(text), {}, {}, 0};
    }
    constexpr std::string_view in_a_number = "0123456789abcdefABCDEFxXpPiInNuU+-., ()";
    Spec literal = typed_literal(text).value_or(Spec{Kind::literal, std::string(text), {}, {}, 0});
    if (literal.text.empty() || literal.text.find_first_not_of(in_a_number) != text.npos) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The SPEC \"{}\" is none that muster knows.", text),
                    fmt::format("give {}", known_specs));
    }
    return literal;
}

Result<NamedTexts> split_assignments(const std::vector<std::string>& texts, std::string_view option) {
    NamedTexts result;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == text.npos || equals == 0) {
            return fail(ErrorCode::invalid_argument,
                        fmt::format("{} is given \"{}\", which isn't NAME=VALUE.", option, text));
        }
        std::string name = text.substr(0, equals);
        if (std::ranges::any_of(result, [&](const auto& earlier) { return earlier.first == name; })) {
            return fail(ErrorCode::invalid_argument, fmt::format("{} names \"{}\" twice.", option, name));
        }
        result.emplace_back(std::move(name), text.substr(equals + 1));
    }
    return result;
}

}  // namespace muster::cli
