#include <algorithm>

#include <fmt/format.h>

#include <muster/c/structures.hpp>

namespace muster::c {

std::unexpected<Fault> null_pointer(std::string_view what) {
    return std::unexpected<Fault>(Error{ErrorCode::invalid_argument,
                                        fmt::format("The pointer to {} is null.", what),
                                        "give one: muster.h says which pointers may be null",
                                        {}});
}

std::unexpected<Fault> too_many(std::string_view what, std::size_t count) {
    return std::unexpected<Fault>(
        Error{ErrorCode::invalid_argument,
              fmt::format("{} of {} are given, and the most are {}.", count, what, most_items),
              "give their number, not that of their bytes",
              {}});
}

Answer<void> check_size(const void* given, std::uint32_t size, std::uint32_t least, std::uint32_t here,
                        std::string_view what) {
    const auto wrong = [&](std::string_view why) {
        return std::unexpected(
            Fault(Error{ErrorCode::invalid_argument,
                        fmt::format("The struct_size of {} is {}: {}.", what, size, why),
                        fmt::format("set it to sizeof({}) and every other member that isn't used to 0", what),
                        {}}));
    };
    if (size < least) return wrong(fmt::format("no header has one below {}", least));
    if (size <= here) return {};
    if (size > here + most_growth) return wrong(fmt::format("this library's is {}", here));
    const auto* const bytes = static_cast<const std::byte*>(given);
    if (std::all_of(bytes + here, bytes + size, [](std::byte byte) { return byte == std::byte(0); }))
        return {};
    return wrong(fmt::format("this library's is {}, and members behind that are set", here));
}

Answer<std::string_view> read_text(muster_string text, std::string_view what) {
    if (text.size == 0) return std::string_view();
    if (text.data == nullptr) return null_pointer(what);
    if (text.size > PTRDIFF_MAX) return too_many(what, text.size);
    return std::string_view(text.data, text.size);
}

Answer<std::span<const std::byte>> read_bytes(const void* data, std::uint64_t size, std::string_view what) {
    if (size == 0) return std::span<const std::byte>();
    if (data == nullptr) return null_pointer(what);
    if (size > PTRDIFF_MAX) return too_many(what, size);
    return std::span(static_cast<const std::byte*>(data), size);
}

}  // namespace muster::c
