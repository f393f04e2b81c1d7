#include <vector>

#include <fmt/format.h>

#include <muster/foundation/wgsl/print/print_names.hpp>
#include <muster/foundation/wgsl/tokens/identifier.hpp>

namespace muster::wgsl {
namespace {

// Names are repeated at each use, so long ones are cut.
std::string_view shortened(std::string_view name) {
    constexpr std::size_t longest = 64;
    if (name.size() <= longest) return name;
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0u) == 0x80u) --end;
    return name.substr(0, end);
}

bool is_ascii_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string valid_name(std::string_view name) {
    if (is_identifier(name)) return std::string(name);
    std::string out;
    for (const char c : name) out += is_ascii_word(c) ? c : '_';
    out.erase(0, out.find_first_not_of('_'));
    if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(0, "n");
    return is_identifier(out) ? out : out + "_";  // a keyword
}

std::string PredeclaredWords::operator()(std::string_view word) const {
    if (!hidden_.contains(std::string(word))) return std::string(word);
    needs_enable_ = true;
    return std::string(predeclared_prefix) + std::string(word);
}

std::string NameSet::unique_name(std::string_view name) {
    std::string valid = valid_name(shortened(name));
    if (taken_.insert(valid).second) return valid;
    return numbered_name(valid + "_");
}

std::string NameSet::numbered_name(std::string_view prefix) {
    std::uint32_t& number = last_number_[std::string(prefix)];
    for (;;) {
        std::string name = fmt::format("{}{}", prefix, ++number);
        if (taken_.insert(name).second) return name;
    }
}

}  // namespace muster::wgsl
