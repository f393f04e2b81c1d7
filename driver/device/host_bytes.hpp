// host_bytes.hpp - a buffer's bytes on the host: zeros until something is written. Only what is written takes
// memory: a large array of which one part is used costs no more than the part. Internal to driver/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include <fmt/format.h>

#include <muster/foundation/base/result.hpp>

namespace muster {

class HostBytes {
  public:
    /// Errors: out_of_memory.
    static Result<HostBytes> zeros(std::uint64_t bytes) {
        HostBytes made;
        made.data_.reset(static_cast<std::byte*>(std::calloc(std::max<std::uint64_t>(bytes, 1), 1)));
        if (!made.data_)
            return fail(ErrorCode::out_of_memory,
                        fmt::format("The host has no {} bytes left for a buffer.", bytes),
                        "use smaller buffers, or free some");
        made.bytes_ = bytes;
        return made;
    }

    bool empty() const { return bytes_ == 0; }
    std::span<std::byte> all() const { return {data_.get(), bytes_}; }
    /// The bytes from the first that was written to the last, which others may lie between;
    /// all outside them are zeros.
    std::span<const std::byte> written() const { return all().subspan(begin_, end_ - begin_); }
    std::uint64_t written_offset() const { return begin_; }

    void write(std::span<const std::byte> from, std::uint64_t offset) {
        std::memcpy(to_write(offset, from.size()).data(), from.data(), from.size());
    }
    /// A range that the caller writes.
    std::span<std::byte> to_write(std::uint64_t offset, std::uint64_t bytes) {
        begin_ = begin_ == end_ ? offset : std::min(begin_, offset);
        end_ = std::max(end_, offset + bytes);
        return all().subspan(offset, bytes);
    }

  private:
    struct Free {
        void operator()(std::byte* data) const { std::free(data); }
    };
    std::unique_ptr<std::byte, Free> data_;
    std::uint64_t bytes_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace muster
