#include <fmt/format.h>

#include <muster/foundation/lang/kernel.hpp>

namespace muster::lang::detail {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

}  // namespace

Result<Signature> parse_signature(std::string_view text, std::size_t parameters) {
    Signature signature;
    const std::size_t open = text.find('(');
    signature.entry = trimmed(text.substr(0, open));
    if (open == std::string_view::npos) {
        for (std::size_t k = 0; k < parameters; ++k) signature.names.push_back("p" + std::to_string(k));
        return signature;
    }
    std::string_view rest = trimmed(text.substr(open + 1));
    if (!rest.ends_with(')'))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The kernel's signature \"{}\" doesn't end in a parenthesis.", text),
                    "write it like \"saxpy(a, x, y)\"");
    rest = trimmed(rest.substr(0, rest.size() - 1));
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        signature.names.emplace_back(trimmed(rest.substr(0, comma)));
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
    if (signature.names.size() != parameters)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The kernel's signature \"{}\" names {} parameters; its function takes {}.",
                                text, signature.names.size(), parameters),
                    "name each parameter of the function, in order");
    return signature;
}

}  // namespace muster::lang::detail
