#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <muster/driver/device/buffer.hpp>
#include <muster/driver/device/buffer_owner.hpp>
#include <muster/driver/device/buffer_state.hpp>
#include <muster/driver/support/deadline.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

Result<void> check_within(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, const char* verb) {
    if (offset <= buffer.bytes() && bytes <= buffer.bytes() - offset) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("Bytes {} to {} can't be {}: the buffer holds {}.", offset, offset + bytes, verb,
                            buffer.bytes()),
                "stay within the buffer");
}

}  // namespace

Result<void> Buffer::State::check_own_process() const {
    if (!made.is_from_parent()) return {};
    return std::unexpected(made_before_fork("The buffer"));
}

void Buffer::State::written_by_kernel() {
    if (!has_copy) return;
    has_copy = false;
    own = {};
}

bool Buffer::State::forget_lost_bytes() {
    if (!is_on_lost_device() || !memory->device().keeps_host_copies()) return false;
    if (is_wrapped && last_use) return false;
    memory.reset();
    last_use.reset();
    is_wrapped = has_copy = false;
    own = {};
    return true;
}

Result<void> Buffer::State::write_to_device(std::span<const std::byte> from, std::uint64_t offset) {
    TRY(memory->device().write(memory->memory(), offset, from));
    const bool has_all = has_copy || from.size() == bytes;
    if (is_wrapped || !has_all || !memory->device().keeps_host_copies()) return {};
    has_copy = write_to_host(from, offset).has_value();
    return {};
}

Result<void> Buffer::State::write_to_host(std::span<const std::byte> from, std::uint64_t offset) {
    if (callers.empty()) {
        if (own.empty()) own = TRY(HostBytes::zeros(bytes));
        own.write(from, offset);
    } else {
        std::memcpy(callers.data() + offset, from.data(), from.size());
    }
    return {};
}

Result<void> Buffer::State::leave_lost_device() {
    if (!is_on_lost_device()) return {};
    // In the caller's own memory, what dispatches wrote is there once they have ended.
    const bool host_has_all = has_copy || (is_wrapped && !last_use);
    if (!host_has_all) {
        const DeviceContext& device = memory->device();
        return std::unexpected(Error{
            ErrorCode::device_lost,
            fmt::format(
                "The {} bytes of a buffer are lost with {}: a kernel there wrote them, and the host has no "
                "copy. {}",
                bytes, device.id(), device.lost()->message),
            device.keeps_host_copies()
                ? "write the whole buffer (Buffer::write_bytes), then run again what computed it"
                : "make the buffer anew in a new session, and run again what computed it",
            {}});
    }
    memory.reset();
    last_use.reset();  // it read the bytes at most
    is_wrapped = has_copy = false;
    return {};
}

Result<void> Buffer::State::idle(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds timeout) {
    const Moment deadline = deadline_after(timeout);
    while (last_use) {
        const std::shared_ptr<Ticket::State> use = last_use;
        lock.unlock();
        auto ended = use->wait(left_until(deadline));
        lock.lock();
        if (!ended && is_on_lost_device()) return leave_lost_device();
        if (!ended)
            return std::unexpected(
                std::move(ended).error().during("waiting for a dispatch that uses the buffer"));
        if (last_use == use) last_use.reset();
    }
    return {};
}

Result<void> Buffer::State::move_to_host() {
    if (!memory) return {};
    if (!is_wrapped && !has_copy) {
        HostBytes moved;
        if (callers.empty()) moved = TRY(HostBytes::zeros(bytes));
        TRY(memory->device().read(memory->memory(), 0, callers.empty() ? moved.to_write(0, bytes) : callers));
        own = std::move(moved);
    }
    is_wrapped = has_copy = false;
    memory.reset();
    ++moves;
    return {};
}

Result<Memory*> Buffer::State::on(DeviceContext& device) {
    if (memory && &memory->device() == &device) return &memory->memory();
    TRY(leave_lost_device());
    TRY(move_to_host());
    auto made = callers.empty() ? nullptr : TRY(device.wrap(callers));
    const bool wrapped = made != nullptr;
    if (!wrapped) {
        made = TRY(device.allocate(std::max<std::uint64_t>(bytes, 1)));
        if (!callers.empty())
            TRY(device.write(*made, 0, callers));
        else if (!own.empty())
            TRY(device.write(*made, own.written_offset(), own.written()));
    }
    memory = std::make_shared<ResidentMemory>(device.shared_from_this(), std::move(made),
                                              wrapped ? owner : nullptr);
    ++moves;
    is_wrapped = wrapped;
    has_copy = device.keeps_host_copies();
    if (!has_copy) own = {};
    return &memory->memory();
}

std::uint64_t Buffer::bytes() const { return state_->bytes; }
std::optional<ElementType> Buffer::element_type() const { return state_->element_type; }

Result<void> Buffer::check_elements(std::optional<ElementType> given) const {
    const std::optional<ElementType>& own = state_->element_type;
    if (!own || !given || *own == *given) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("The buffer is made of {}; the host's array of {}.", own->name(), given->name()),
                fmt::format("give it an array of {}, or bytes (read_bytes, write_bytes)", own->name()));
}

Result<void> Buffer::read_bytes(std::span<std::byte> into, std::uint64_t offset,
                                std::chrono::nanoseconds timeout) const try {
    TRY(check_within(*this, offset, into.size(), "read"));
    if (into.empty()) return {};
    TRY(state_->check_own_process());
    std::unique_lock lock(state_->mutex);
    TRY(state_->idle(lock, timeout));
    TRY(state_->leave_lost_device());
    if (state_->memory && !state_->has_copy)
        return state_->memory->device().read(state_->memory->memory(), offset, into);
    if (state_->host().empty())
        std::memset(into.data(), 0, into.size());
    else
        std::memcpy(into.data(), state_->host().data() + offset, into.size());
    return {};
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<void> Buffer::write_bytes(std::span<const std::byte> from, std::uint64_t offset,
                                 std::chrono::nanoseconds timeout) try {
    TRY(check_within(*this, offset, from.size(), "written"));
    if (from.empty()) return {};
    TRY(state_->check_own_process());
    std::unique_lock lock(state_->mutex);
    const auto forget = [&] { return from.size() == state_->bytes && state_->forget_lost_bytes(); };
    if (!forget()) {
        auto idle = state_->idle(lock, timeout);
        if (!idle && !forget()) return idle;
        TRY(state_->leave_lost_device());
    }
    if (state_->memory) {
        auto written = state_->write_to_device(from, offset);
        const bool goes_to_host = !written && (forget() || (state_->is_on_lost_device() && state_->has_copy));
        if (!goes_to_host) return written;
        TRY(state_->leave_lost_device());
    }
    return state_->write_to_host(from, offset);
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<void> Buffer::sync(std::chrono::nanoseconds timeout) try {
    TRY(state_->check_own_process());
    std::unique_lock lock(state_->mutex);
    TRY(state_->idle(lock, timeout));
    TRY(state_->leave_lost_device());
    return state_->is_wrapped ? Result<void>() : state_->move_to_host();
} catch (const std::bad_alloc&) {
    return no_memory();
}

void keep_owner(const Buffer& buffer, std::shared_ptr<const void> owner) {
    const std::lock_guard lock(buffer.state()->mutex);
    buffer.state()->owner = std::move(owner);
}

bool Buffer::is_in_place() const {
    if (state_->made.is_from_parent()) return false;
    const std::lock_guard lock(state_->mutex);
    return state_->is_wrapped;
}

}  // namespace muster
