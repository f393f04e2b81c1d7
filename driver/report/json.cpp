#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <muster/driver/report/json.hpp>

namespace muster::report {
namespace {

/// The bytes of the character of UTF-8 that a text begins with; 0 if there is none.
std::size_t character_at(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto continues = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xbf) {
        return i < text.size() && byte(i) >= least && byte(i) <= most;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {
        const bool fits = continues(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
        return fits && continues(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const bool fits = continues(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
        return fits && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

void print_text(std::string& to, std::string_view text) {
    to += '"';
    while (!text.empty()) {
        const std::size_t bytes = character_at(text);
        const auto c = static_cast<unsigned char>(text.front());
        if (bytes == 0)
            to += "\xef\xbf\xbd";
        else if (c == '"' || c == '\\')
            to += {'\\', static_cast<char>(c)};
        else if (c == '\n')
            to += "\\n";
        else if (c == '\t')
            to += "\\t";
        else if (c < 0x20)
            to += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            to += text.substr(0, bytes);
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    to += '"';
}

/// A number that reads back as a real one.
std::string real_text(double value) {
    if (!std::isfinite(value)) return "null";
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

}  // namespace

Json::Json(std::initializer_list<Member> members) {
    Members all;
    all.reserve(members.size());
    for (const auto& [name, value] : members) all.emplace_back(std::string(name), value);
    value_ = std::move(all);
}

Json& Json::operator[](std::string_view name) {
    if (std::holds_alternative<std::monostate>(value_)) value_ = Members();
    auto& members = std::get<Members>(value_);
    const auto found = std::ranges::find(members, name, &std::pair<std::string, Json>::first);
    return found != members.end() ? found->second : members.emplace_back(std::string(name), Json()).second;
}

Json& Json::push_back(Json item) {
    if (std::holds_alternative<std::monostate>(value_)) value_ = Items();
    return std::get<Items>(value_).emplace_back(std::move(item));
}

void Json::print(std::string& to) const {
    struct Print {
        std::string& to;
        void operator()(std::monostate) const { to += "null"; }
        void operator()(bool value) const { to += value ? "true" : "false"; }
        void operator()(std::uint64_t value) const { to += fmt::to_string(value); }
        void operator()(std::int64_t value) const { to += fmt::to_string(value); }
        void operator()(double value) const { to += real_text(value); }
        void operator()(const std::string& value) const { print_text(to, value); }
        void operator()(const Items& items) const {
            to += '[';
            for (const Json& item : items) {
                if (&item != items.data()) to += ',';
                item.print(to);
            }
            to += ']';
        }
        void operator()(const Members& members) const {
            to += '{';
            for (const auto& member : members) {
                if (&member != members.data()) to += ',';
                print_text(to, member.first);
                to += ':';
                member.second.print(to);
            }
            to += '}';
        }
    };
    std::visit(Print{to}, value_);
}

std::string Json::text() const {
    std::string text;
    print(text);
    return text;
}

}  // namespace muster::report
