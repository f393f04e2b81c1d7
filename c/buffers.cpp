// Buffers: making, reading, writing, copying.
#include <cstring>

#include <fmt/format.h>

#include <muster/c/dispatch.hpp>
#include <muster/c/elements.hpp>
#include <muster/c/host_memory.hpp>
#include <muster/c/session_options.hpp>
#include <muster/c/slots.hpp>

namespace muster::c {
namespace {

Answer<std::shared_ptr<BufferObject>> create(const std::shared_ptr<SessionObject>& session,
                                             const muster_buffer_options& asked,
                                             const std::shared_ptr<GivenMemory>& owner) {
    TRY(check_flags(asked.flags, MUSTER_BUFFER_SHAREABLE, "buffer options"));
    const auto element = TRY(element_of(asked.element));
    if (asked.over != nullptr && asked.from != nullptr)
        return std::unexpected(Error{ErrorCode::invalid_argument,
                                     "A buffer is to be over memory, and to begin with other contents.",
                                     "set `from` or `over`, and write the contents there before",
                                     {}});
    if (asked.over != nullptr) {
        const auto bytes = TRY(read_bytes(asked.over, asked.bytes, "over"));
        const std::span<std::byte> memory(static_cast<std::byte*>(asked.over), bytes.size());
        return buffer_over(session, memory, element, owner);
    }
    if (asked.release != nullptr)
        return std::unexpected(Error{ErrorCode::invalid_argument,
                                     "`release` is set, and `over` isn't.",
                                     "set `over` to the memory, or leave `release` out",
                                     {}});
    if (asked.from != nullptr) (void)TRY(read_bytes(asked.from, asked.bytes, "from"));
    if ((asked.flags & MUSTER_BUFFER_SHAREABLE) != 0 && asked.bytes > 0) {
        (void)TRY(session->session.buffer(asked.bytes, element));  // refuses what no host has
        const auto memory = TRY(host_zeros(asked.bytes));
        if (asked.from != nullptr) std::memcpy(memory.get(), asked.from, asked.bytes);
        return buffer_over(session, {memory.get(), asked.bytes}, element, memory);
    }
    Session& by = session->session;
    const std::span from(static_cast<const std::byte*>(asked.from), asked.from != nullptr ? asked.bytes : 0);
    return std::make_shared<BufferObject>(session, asked.from != nullptr
                                                       ? TRY(by.buffer_from(from, element))
                                                       : TRY(by.buffer(asked.bytes, element)));
}

}  // namespace

Answer<Property> BufferObject::ask(std::int32_t property) const {
    switch (property) {
        case MUSTER_SIZE_BYTES: return number(buffer.bytes());
        case MUSTER_ELEMENT: return number(number_of(buffer.element_type()));
        case MUSTER_IS_IN_PLACE: return number(buffer.is_in_place() ? 1 : 0);
        case MUSTER_IS_SHAREABLE: return number(address != nullptr ? 1 : 0);
        default: return no_property(property);
    }
}

void add_buffers(muster_api& api) {
    api.buffer_create = [](muster_session session, const muster_buffer_options* options,
                           muster_buffer* buffer) {
        return call([&]() -> Answer<void> {
            if (buffer == nullptr) return null_pointer("buffer");
            const auto by = TRY(get<SessionObject>(session.id));
            const muster_buffer_options asked = TRY(read_given(options, "muster_buffer_options"));
            UnlessDone memory(asked.over != nullptr ? give(asked.release, asked.user) : nullptr);
            TRY(give_handle(buffer, TRY(create(by, asked, memory.given()))));
            memory.done();
            return {};
        });
    };
    api.buffer_read = [](muster_buffer buffer, std::uint64_t offset, void* to, std::uint64_t bytes,
                         std::uint64_t timeout_ns) {
        return call([&]() -> Answer<void> {
            const auto from = TRY(get<BufferObject>(buffer.id));
            const std::size_t size = TRY(read_bytes(to, bytes, "to")).size();
            TRY(from->buffer.read_bytes({static_cast<std::byte*>(to), size}, offset, timeout_of(timeout_ns)));
            return {};
        });
    };
    api.buffer_write = [](muster_buffer buffer, std::uint64_t offset, const void* from, std::uint64_t bytes,
                          std::uint64_t timeout_ns) {
        return call([&]() -> Answer<void> {
            const auto to = TRY(get<BufferObject>(buffer.id));
            TRY(to->buffer.write_bytes(TRY(read_bytes(from, bytes, "from")), offset, timeout_of(timeout_ns)));
            return {};
        });
    };
    api.buffer_sync = [](muster_buffer buffer, std::uint64_t timeout_ns, void** memory) {
        return call([&]() -> Answer<void> {
            const auto object = TRY(get<BufferObject>(buffer.id));
            TRY(object->buffer.sync(timeout_of(timeout_ns)));
            if (memory != nullptr) *memory = object->address;
            return {};
        });
    };
    api.copy = [](muster_session session, const muster_range* from, const muster_range* to,
                  muster_ticket* ticket) {
        return call([&]() -> Answer<void> {
            const auto by = TRY(get<SessionObject>(session.id));
            return give_ticket(ticket, TRY(by->session.copy(TRY(read_range(from)), TRY(read_range(to)))));
        });
    };
    api.fill = [](muster_session session, const muster_range* range, std::uint32_t word,
                  muster_ticket* ticket) {
        return call([&]() -> Answer<void> {
            const auto by = TRY(get<SessionObject>(session.id));
            return give_ticket(ticket, TRY(by->session.fill(TRY(read_range(range)), word)));
        });
    };
    api.snapshot = [](muster_session session, const muster_range* range, muster_buffer* buffer,
                      muster_ticket* ticket) {
        return call([&]() -> Answer<void> {
            if (buffer == nullptr) return null_pointer("buffer");
            const auto by = TRY(get<SessionObject>(session.id));
            Snapshot made = TRY(by->session.snapshot(TRY(read_range(range))));
            muster_buffer handle;
            TRY(give_handle(&handle, std::make_shared<BufferObject>(by, std::move(made.buffer))));
            TRY(give_ticket(ticket, std::move(made.ready)));
            *buffer = handle;
            return {};
        });
    };
}

}  // namespace muster::c
