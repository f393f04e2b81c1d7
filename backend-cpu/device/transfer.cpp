#include <algorithm>
#include <array>
#include <cstring>

#include <muster/backend-cpu/device/executable.hpp>
#include <muster/backend-cpu/device/transfer.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cpu {
namespace {

/// The bytes that a "workgroup" moves: enough to make the call cheap.
constexpr std::uint64_t piece_bytes = 16 << 10;
/// As ImageHeader::cost: about a microsecond, mostly spent waiting for memory.
constexpr std::uint32_t piece_cost = 2'000;

/// The bytes of the pieces [begin, end) of a transfer's target.
std::span<std::byte> pieces(const KernelBinding& target, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t first = begin * piece_bytes, last = std::min(end * piece_bytes, target.bytes);
    return {target.data + first, last - first};
}

/// Bindings: the target, the source.
void copy_pieces(const KernelArguments* arguments, std::uint64_t begin, std::uint64_t end, std::byte*) {
    const std::span<std::byte> to = pieces(arguments->bindings[0], begin, end);
    std::memcpy(to.data(), arguments->bindings[1].data + begin * piece_bytes, to.size());
}

/// Bindings: the target, the word.
void fill_pieces(const KernelArguments* arguments, std::uint64_t begin, std::uint64_t end, std::byte*) {
    const std::span<std::byte> to = pieces(arguments->bindings[0], begin, end);
    std::uint32_t word = 0;
    std::memcpy(&word, arguments->bindings[1].data, sizeof word);
    std::fill_n(reinterpret_cast<std::uint32_t*>(to.data()), to.size() / sizeof word, word);
}

}  // namespace

Result<Submitted> submit_transfer(Queue& queue, const MemoryTransfer& transfer) {
    static const CpuExecutable copies(copy_pieces, 0, piece_cost), fills(fill_pieces, 0, piece_cost);
    const std::array<BoundMemory, 2> bindings{
        BoundMemory{.memory = transfer.to, .offset = transfer.to_offset, .bytes = transfer.bytes},
        transfer.from
            ? BoundMemory{.memory = transfer.from, .offset = transfer.from_offset, .bytes = transfer.bytes}
            : BoundMemory{.bytes = sizeof transfer.word,
                          .value = reinterpret_cast<const std::byte*>(&transfer.word)}};
    const std::uint64_t count = round_up(transfer.bytes, piece_bytes) / piece_bytes;
    const Extent3 extent{static_cast<std::uint32_t>(count), 1, 1};
    return queue.submit({.executable = transfer.from ? &copies : &fills,
                         .bindings = bindings,
                         .extent = extent,
                         .grid = extent});
}

}  // namespace muster::cpu
