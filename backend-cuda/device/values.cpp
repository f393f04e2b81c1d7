#include <algorithm>
#include <cstring>

#include <muster/backend-cuda/device/values.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cuda {
namespace {

constexpr std::uint64_t size_step = 1024;

}  // namespace

Values::Unused& Values::of_size(std::uint64_t bytes) {
    const auto found = std::ranges::find(unused_, bytes, &Unused::bytes);
    if (found != unused_.end()) return *found;
    return unused_.emplace_back(Unused{.bytes = bytes, .made = 0, .pieces = {}});
}

Result<Values::Piece> Values::place(std::span<const std::byte> value) {
    Unused& unused = of_size(round_up(std::max<std::uint64_t>(value.size(), 1), size_step));
    std::unique_ptr<Memory> memory;
    if (!unused.pieces.empty()) {
        memory = std::move(unused.pieces.back());
        unused.pieces.pop_back();
    } else {
        memory = std::make_unique<Memory>();
        memory->host = TRY(make_host_memory(context_, unused.bytes));
        memory->device = TRY(DeviceMemory::allocate(transfer_, unused.bytes));
        unused.pieces.reserve(++unused.made);  // so that returning a piece never allocates
    }
    std::memcpy(memory->host.get(), value.data(), value.size());
    return Piece(*this, std::move(memory));
}

Result<void> Values::copy(const Piece& piece, std::size_t bytes, CUstream stream) {
    return context_.check("cuMemcpyHtoDAsync", [&] {
        return context_.table().cuMemcpyHtoDAsync(piece.memory().device->address(), piece.memory().host.get(),
                                                  bytes, stream);
    });
}

void Values::give(std::unique_ptr<Memory> piece) noexcept {
    of_size(piece->device->bytes()).pieces.push_back(std::move(piece));
}

}  // namespace muster::cuda
