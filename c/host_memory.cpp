#include <cstdlib>

#include <fmt/format.h>

#include <muster/c/host_memory.hpp>
#include <muster/driver/device/buffer_owner.hpp>

namespace muster::c {

Answer<std::shared_ptr<std::byte>> host_zeros(std::uint64_t bytes) {
    static_assert(alignof(std::max_align_t) >= wrapped_alignment);
    auto* const memory = bytes > PTRDIFF_MAX ? nullptr : static_cast<std::byte*>(std::calloc(bytes, 1));
    if (memory == nullptr)
        return std::unexpected(Error{ErrorCode::out_of_memory,
                                     fmt::format("The host has no {} bytes left for a buffer.", bytes),
                                     "use smaller buffers, or free some",
                                     {}});
    return std::shared_ptr<std::byte>(memory, std::free);
}

Answer<std::shared_ptr<BufferObject>> buffer_over(const std::shared_ptr<SessionObject>& session,
                                                  std::span<std::byte> memory,
                                                  std::optional<ElementType> element,
                                                  std::shared_ptr<const void> owner) {
    if (memory.empty())
        return std::make_shared<BufferObject>(session, TRY(session->session.buffer(0, element)));
    Buffer buffer = TRY(session->session.buffer_over(memory, element));
    keep_owner(buffer, owner);
    return std::make_shared<BufferObject>(session, std::move(buffer), std::move(owner), memory.data());
}

}  // namespace muster::c
