#include <array>

#include <fmt/format.h>

#include <muster/cli/input/type_name.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::cli {
namespace {

/// "vec4f" becomes "vec4<f32>"; other words don't change.
std::string canonical_word(std::string_view word, const TypeNames& aliases) {
    if (const auto found = aliases.find(word); found != aliases.end()) return found->second;
    constexpr std::string_view letters = "fhiu";
    constexpr std::array<std::string_view, 4> scalars_by_letter{"f32", "f16", "i32", "u32"};
    if (word.size() == 5 && word.starts_with("vec") && word[3] >= '2' && word[3] <= '4') {
        if (const std::size_t which = letters.find(word[4]); which != letters.npos)
            return fmt::format("{}<{}>", word.substr(0, 4), scalars_by_letter[which]);
    }
    return std::string(word);
}

}  // namespace

std::string canonical_type_name(std::string_view name, const TypeNames& aliases) {
    std::string canonical;
    while (!name.empty()) {
        const std::size_t length = std::min(name.find_first_of("<>, "), name.size());
        if (length > 0) {
            canonical += canonical_word(name.substr(0, length), aliases);
        } else if (name[0] == ',') {
            canonical += ", ";
        } else if (name[0] != ' ') {
            canonical += name[0];
        }
        name.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return canonical;
}

TypeNames aliases_of(const Program& program) {
    TypeNames names;
    for (const SourceFile& file : program.files()) {
        if (!file.text) continue;
        const auto aliases = wgsl::aliases(*file.text, {.file = file.name});
        for (const wgsl::Alias& alias : aliases.value_or(std::vector<wgsl::Alias>()))
            names[alias.name] = alias.type;
    }
    return names;
}

}  // namespace muster::cli
