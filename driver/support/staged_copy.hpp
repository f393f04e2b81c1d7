// staged_copy.hpp - copies between the host's memory and a device's, in parts, through two staging buffers:
// the host fills or empties one while the device copies the other.
//
// A staging buffer is any type with a function `std::byte* bytes()` to at least staging_bytes.
// `copy(buffer, offset, bytes)` starts the device's copy of the part at `offset`; `wait(buffer)` waits
// until the buffer's last copy, if any, has ended. Both return Result<void>; their errors are the
// functions'. Threads: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Large enough that a copy's fixed cost doesn't matter, small enough that the first copy begins early.
inline constexpr std::size_t staging_bytes = std::size_t{4} << 20;

/// Returns when the last part's copy has started; the first buffer is its.
template <class Buffer, class Wait, class Copy>
Result<void> write_staged(std::array<Buffer, 2>& buffers, std::span<const std::byte> from, Wait&& wait,
                          Copy&& copy) {
    for (std::size_t offset = 0; offset < from.size(); offset += staging_bytes) {
        const auto part = from.subspan(offset, std::min(from.size() - offset, staging_bytes));
        std::swap(buffers[0], buffers[1]);
        TRY(wait(buffers[0]));
        std::memcpy(buffers[0].bytes(), part.data(), part.size());
        TRY(copy(buffers[0], offset, part.size()));
    }
    return {};
}

/// Precondition: `to` isn't empty.
template <class Buffer, class Wait, class Copy>
Result<void> read_staged(std::array<Buffer, 2>& buffers, std::span<std::byte> to, Wait&& wait, Copy&& copy) {
    std::span<std::byte> before;  // the part in flight
    const auto finish = [&](Buffer& buffer) -> Result<void> {
        TRY(wait(buffer));
        std::memcpy(before.data(), buffer.bytes(), before.size());
        return {};
    };
    for (std::size_t offset = 0; offset < to.size(); offset += staging_bytes) {
        const auto part = to.subspan(offset, std::min(to.size() - offset, staging_bytes));
        std::swap(buffers[0], buffers[1]);
        TRY(copy(buffers[0], offset, part.size()));
        if (!before.empty()) TRY(finish(buffers[1]));
        before = part;
    }
    return finish(buffers[0]);
}

MUSTER_API_END
}  // namespace muster
