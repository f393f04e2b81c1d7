#include <charconv>

#include <fmt/format.h>

#include <muster/backend-cpu/device/options.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster::cpu {

Result<std::uint32_t> parse_width(std::string_view text) {
    std::uint32_t width = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error != std::errc() || end != text.data() + text.size() || !std::has_single_bit(width) || width > 64)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The compile spec width is \"{}\", not a power of two from 1 to 64.", text),
                    "leave it out for the target's own, or give 4, 8 or 16");
    return width;
}

}  // namespace muster::cpu
