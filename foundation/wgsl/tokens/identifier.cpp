#include <muster/foundation/wgsl/tokens/identifier.hpp>
#include <muster/foundation/wgsl/tokens/token.hpp>

namespace muster::wgsl {

bool is_identifier(std::string_view name) {
    if (name.empty() || name == "_" || name.starts_with("__") || find_invalid_utf8(name)) return false;
    const char first = name.front();
    const bool begins = is_ascii(first) ? is_ascii_letter(first) : is_xid_start(code_point_at(name, 0).value);
    return begins && after_word(name, 0) == name.size() && word_kind(name) == TokenKind::identifier;
}

}  // namespace muster::wgsl
