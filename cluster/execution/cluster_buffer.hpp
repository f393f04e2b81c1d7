// cluster_buffer.hpp - a buffer of a cluster: its whole contents have one meaning,
// wherever each part of them lies.
//
//     auto x = cluster.buffer<float>(host, Sharded{});          // every process has all of `host`, and keeps its block of it
//     auto y = cluster.zeros<float>(n, Sharded{.row_bytes = 4 * width});
//     ... dispatches ...
//     std::vector<float> all = *y.read_all<float>();            // each process gets everything
//
// A sharding says where the contents lie once the host has written them. Dispatches then move words to where
// they are read: a halo's width is derived, not given, and what a device has computed stays there. Each
// member has memory for the whole buffer; on the CPU, pages that it never touches take none.
//
// ClusterBuffer is a handle: copies name the same memory. Its functions are collective: every process calls
// them, in the same order (block() and bytes() aside). Errors are those of Buffer, and every process gets the
// same one. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include <muster/driver/device/buffer.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// Every member has everything.
struct Replicated {};

/// Each member has a block: consecutive rows, elements of the leading dimension.
struct Sharded {
    std::uint64_t row_bytes = 0;  // a multiple of 4; 0: one element, or 4 bytes
    /// The rows of each member, which add up to `rows`. Empty: as the members' weights are to each other.
    std::function<std::vector<std::uint64_t>(std::uint64_t rows, std::span<const double> weights)> blocks =
        {};
};
using Sharding = std::variant<Replicated, Sharded>;

class ClusterBuffer {
  public:
    std::uint64_t bytes() const;
    std::optional<ElementType> element_type() const;

    /// The bytes that this process's members have of a sharded buffer; all of a replicated one.
    struct Block {
        std::uint64_t offset = 0, bytes = 0;
    };
    Block block() const;

    /// Writes the whole buffer. Every process gives the same contents, of which it keeps its part.
    Result<void> write_bytes(std::span<const std::byte> whole);
    /// Likewise, from the process of rank `root`, which sends the others their parts; these give nothing.
    Result<void> write_bytes_from(std::uint32_t root, std::span<const std::byte> whole);
    /// Likewise, each process its own block. Errors also: invalid_argument (the buffer is replicated).
    Result<void> write_block_bytes(std::span<const std::byte> block);

    Result<void> read_bytes(std::span<std::byte> whole) const;
    /// Only the process of rank `root` gets the contents; the others give an empty span.
    Result<void> read_bytes_on(std::uint32_t root, std::span<std::byte> whole) const;
    /// Each process gets its block.
    Result<void> read_block_bytes(std::span<std::byte> block) const;

    template <class T>
    requires std::is_trivially_copyable_v<T> Result<void> write(const std::vector<T>& whole) {
        return write_bytes(std::as_bytes(std::span(whole)));
    }
    template <class T>
    requires std::is_trivially_copyable_v<T> Result<std::vector<T>> read_all()
    const {
        std::vector<T> whole(bytes() / sizeof(T));
        if (auto read = read_bytes(std::as_writable_bytes(std::span(whole))); !read)
            return std::unexpected(std::move(read).error());
        return whole;
    }
    /// Reads the whole buffer into a vector on one process; that of the others is empty.
    template <class T>
    requires std::is_trivially_copyable_v<T> Result<std::vector<T>> read_on(std::uint32_t root)
    const {
        std::vector<T> whole(is_rank(root) ? bytes() / sizeof(T) : 0);
        if (auto read = read_bytes_on(root, std::as_writable_bytes(std::span(whole))); !read)
            return std::unexpected(std::move(read).error());
        return whole;
    }

    struct State;
    explicit ClusterBuffer(std::shared_ptr<State> state) : state_(std::move(state)) {}
    const std::shared_ptr<State>& state() const { return state_; }  // for the cluster

  private:
    bool is_rank(std::uint32_t rank) const;
    std::shared_ptr<State> state_;
};

}  // namespace muster
