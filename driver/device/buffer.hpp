// buffer.hpp - memory that kernels read and write, and that outlives a dispatch.
//
//     Buffer x = *session.buffer<float>(host);   ...dispatch...   x.read<float>(into);
//
// A buffer is in host memory until a dispatch first binds it, then in the memory of that dispatch's device;
// binding it on another device moves it there through the host. Buffer is a handle: copies name the same
// memory. Reads and writes wait for the dispatches that use the buffer. Errors: invalid_argument (beyond its
// end), device_lost, out_of_memory, timed_out. Threads: any; reads, writes and dispatches of one buffer
// happen one after the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <muster/driver/contract/element_type.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The timeout of a call that is given none.
inline constexpr std::chrono::nanoseconds default_timeout = std::chrono::minutes(10);

class Buffer {
  public:
    std::uint64_t bytes() const;
    /// The element type of the host array that the buffer was made from; none for
    /// bytes, which fit any binding.
    std::optional<ElementType> element_type() const;

    Result<void> read_bytes(std::span<std::byte> into, std::uint64_t offset = 0,
                            std::chrono::nanoseconds timeout = default_timeout) const;
    Result<void> write_bytes(std::span<const std::byte> from, std::uint64_t offset = 0,
                             std::chrono::nanoseconds timeout = default_timeout);

    /// For a buffer over the caller's memory (Session::buffer_over): waits for the dispatches that use it,
    /// and puts its bytes there. Until the next dispatch that binds it, the caller may read and change them.
    /// Other buffers move to the host.
    Result<void> sync(std::chrono::nanoseconds timeout = default_timeout);
    /// True while dispatches use the caller's memory itself; false if a device has a copy of
    /// it, or none has used it.
    bool is_in_place() const;

    template <class T>
    requires std::is_trivially_copyable_v<T> Result<void> read(std::span<T> into)
    const {
        if (auto same = check_elements(element_type_of<T>()); !same) return same;
        return read_bytes(std::as_writable_bytes(into));
    }
    template <class T>
    Result<void> read(std::vector<T>& into) const {
        return read<T>(std::span<T>(into));
    }
    template <class T>
    requires std::is_trivially_copyable_v<T> Result<void> write(std::span<const T> from) {
        if (auto same = check_elements(element_type_of<T>()); !same) return same;
        return write_bytes(std::as_bytes(from));
    }
    /// Reads the whole buffer into a vector of T.
    template <class T>
    Result<std::vector<T>> read_all() const {
        std::vector<T> values;
        try {
            values.resize(bytes() / sizeof(T));
        } catch (const std::exception&) {  // std::bad_alloc, std::length_error
            return fail(ErrorCode::out_of_memory,
                        "The host has no " + std::to_string(bytes()) + " bytes left to read a buffer into.",
                        "read a part of it (read_bytes)");
        }
        if (auto done = read<T>(std::span<T>(values)); !done) return std::unexpected(std::move(done).error());
        return values;
    }

    struct State;
    explicit Buffer(std::shared_ptr<State> state) : state_(std::move(state)) {}
    const std::shared_ptr<State>& state() const { return state_; }  // for the driver

  private:
    Result<void> check_elements(std::optional<ElementType> given) const;
    std::shared_ptr<State> state_;
};

/// A part of a buffer. `offset` is a multiple of `binding_offset_alignment`; `bytes` 0 means up to the end.
inline constexpr std::uint64_t binding_offset_alignment = 256;
struct BufferRange {
    Buffer buffer;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

MUSTER_API_END
}  // namespace muster
