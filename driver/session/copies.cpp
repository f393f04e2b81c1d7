#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/device/copy_kernels.hpp>
#include <muster/driver/session/copies.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

/// The range with its actual size. Errors: invalid_argument.
Result<BufferRange> whole_words(const BufferRange& range, const char* what) {
    const std::uint64_t all = range.buffer.bytes();
    if (range.offset > all || range.bytes > all - range.offset)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The {} is bytes {} to {} of a buffer of {}.", what, range.offset,
                                range.offset + range.bytes, all),
                    "stay within the buffer");
    const BufferRange sized{range.buffer, range.offset, range.bytes == 0 ? all - range.offset : range.bytes};
    if (sized.offset % 4 != 0 || sized.bytes % 4 != 0)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("The {} is {} bytes from byte {} on; devices copy and fill whole words of 4 bytes.",
                        what, sized.bytes, sized.offset),
            "begin and end at multiples of 4, or read and write the bytes from the host (read_bytes, "
            "write_bytes)");
    TRY(sized.buffer.state()->check_own_process());
    return sized;
}

/// The part of a buffer that a binding covers: it begins at a multiple of binding_offset_alignment.
BoundRange binding_from(const BufferRange& range, std::uint64_t offset, std::uint64_t bytes) {
    const std::uint64_t begin = offset / binding_offset_alignment * binding_offset_alignment;
    return {range.buffer.state().get(), begin, offset + bytes - begin};
}

std::uint32_t first_word(std::uint64_t offset, const BoundRange& binding) {
    return static_cast<std::uint32_t>((offset - binding.offset) / 4);
}

}  // namespace

Result<CopyTransfer> CopyTransfer::copy(const BufferRange& from, const BufferRange& to) {
    CopyTransfer made{TRY(whole_words(from, "source of the copy")),
                      TRY(whole_words(to, "target of the copy"))};
    if (made.from->bytes != made.to.bytes)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The source of the copy has {} bytes, its target {}.", made.from->bytes,
                                made.to.bytes),
                    "copy ranges of one size");
    const bool overlaps = made.from->buffer.state() == made.to.buffer.state() &&
                          made.from->offset < made.to.offset + made.to.bytes &&
                          made.to.offset < made.from->offset + made.from->bytes;
    if (overlaps)
        return fail(
            ErrorCode::conflict,
            fmt::format(
                "The copy's source, from byte {} on, overlaps its target, from byte {} on, in one buffer "
                "({} bytes).",
                made.from->offset, made.to.offset, made.to.bytes),
            "copy by way of another buffer");
    return made;
}

Result<CopyTransfer> CopyTransfer::fill(const BufferRange& what, std::uint32_t word) {
    return CopyTransfer{{}, TRY(whole_words(what, "range to fill")), word};
}

const ValidProgram& CopyTransfer::program() const {
    if (!from) return fill_words();
    return is_within_one_buffer() ? copy_words_within() : copy_words();
}

std::shared_ptr<DeviceContext> CopyTransfer::device() const {
    const auto holder = [](const BufferRange& range) -> std::shared_ptr<DeviceContext> {
        Buffer::State& state = *range.buffer.state();
        if (state.made.is_from_parent()) return nullptr;  // submitting says so
        const std::lock_guard lock(state.mutex);
        return state.memory ? state.memory->device().shared_from_this() : nullptr;
    };
    auto device = holder(to);
    return device || !from ? device : holder(*from);
}

struct TransferLaunches::Piece {
    FoldedDispatch grid;
    ArgumentValue value = {};
    BoundArguments arguments = {};  // the first is `value`
};

struct TransferLaunches::Made {
    CopyTransfer transfer;                        // keeps the buffers alive
    std::shared_ptr<const LoadedProgram> loaded;  // null: the device's own transfer
    std::deque<Piece> pieces;                     // a deque, because pieces don't move
};

namespace {

/// The most bytes that one launch copies: a binding may begin up to an alignment early, and
/// words are counted in 32 bits.
std::uint64_t most_bytes_at_once(const DeviceLimits& limits) {
    const std::uint64_t most = std::min(limits.max_storage_binding_bytes, std::uint64_t{1} << 33);
    return most / binding_offset_alignment * binding_offset_alignment - binding_offset_alignment;
}

/// The bindings of a piece, of `bytes` from byte `done` on.
struct PieceRanges {
    std::uint64_t from = 0, to = 0;  // in their buffers
    std::optional<BoundRange> source;
    BoundRange target;
};

Result<PieceRanges> ranges_of(const CopyTransfer& transfer, std::uint64_t done, std::uint64_t bytes,
                              const DeviceLimits& limits) {
    PieceRanges made{.to = transfer.to.offset + done};
    made.from = transfer.from ? transfer.from->offset + done : made.to;
    if (!transfer.is_within_one_buffer()) {
        made.target = binding_from(transfer.to, made.to, bytes);
        if (transfer.from) made.source = binding_from(*transfer.from, made.from, bytes);
        return made;
    }
    const auto [first, last] = std::minmax(made.from, made.to);
    made.target = binding_from(transfer.to, first, last - first + bytes);
    if (made.target.bytes > limits.max_storage_binding_bytes)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("A copy within one buffer reaches over {} bytes; the device takes {} in one binding.",
                        made.target.bytes, limits.max_storage_binding_bytes),
            "copy by way of another buffer");
    return made;
}

}  // namespace

/// A launch that the device does without a kernel: the range's last word, the source of a copy,
/// the target (launches.hpp).
void TransferLaunches::add_one(Made& made) {
    static const Variable word{.name = "word"}, source{.name = "source"},
        target{.name = "copy", .is_written = true};
    const CopyTransfer& transfer = made.transfer;
    constexpr Extent3 one{1, 1, 1};
    Piece& piece =
        made.pieces.emplace_back(Piece{FoldedDispatch{one, FoldedGrid({.extent = one}, one, one)}});
    piece.value.bytes = InlineVector<std::byte, 64>(std::as_bytes(std::span(&transfer.word, 1)));
    const auto range_of = [](const BufferRange& range) {
        return BoundRange{range.buffer.state().get(), range.offset, range.bytes};
    };
    piece.arguments.push_back({&word, &std::as_const(piece.value)});
    if (transfer.from) piece.arguments.push_back({&source, range_of(*transfer.from)});
    piece.arguments.push_back({&target, range_of(transfer.to)});
}

Result<void> TransferLaunches::add_kernels(Made& made, const Session::State& session, DeviceContext& device) {
    const CopyTransfer& transfer = made.transfer;
    const ValidProgram& program = transfer.program();
    const DeviceLimits& limits = device.info().limits;
    made.loaded = TRY(device.load(program, session.with_policy({}), session.compile_budget()));
    const std::uint64_t most = most_bytes_at_once(limits);
    for (std::uint64_t done = 0, bytes = 0; done < transfer.to.bytes; done += bytes) {
        bytes = std::min(most, transfer.to.bytes - done);
        const PieceRanges at = TRY(ranges_of(transfer, done, bytes, limits));
        const auto words = static_cast<std::uint32_t>(bytes / 4);
        const CopyRange range{first_word(at.from, at.source.value_or(at.target)),
                              first_word(at.to, at.target), words, transfer.word};
        const Extent3 groups{(words + copy_workgroup_size - 1) / copy_workgroup_size, 1, 1};
        Piece& piece = made.pieces.emplace_back(
            Piece{FoldedDispatch{groups, TRY(fold_grid(groups, limits.max_workgroups))}});
        piece.value.bytes = InlineVector<std::byte, 64>(std::as_bytes(std::span(range)));
        const auto bind = [&](auto what) {
            piece.arguments.push_back(
                {&program->variable(program->bindings()[piece.arguments.size()]), what});
        };
        bind(&std::as_const(piece.value));
        if (at.source) bind(*at.source);
        bind(at.target);
    }
    return {};
}

Result<TransferLaunches> TransferLaunches::make(const Session::State& session, DeviceContext& device,
                                                const CopyTransfer& transfer) {
    auto made = std::make_shared<Made>(Made{transfer, {}, {}});
    if (!device.has_transfers())
        TRY(add_kernels(*made, session, device));
    else if (transfer.to.bytes > 0)
        add_one(*made);
    return TransferLaunches(std::move(made));
}

void TransferLaunches::append_to(std::vector<BoundLaunch>& launches) const {
    for (const Piece& piece : made_->pieces)
        launches.push_back({made_->loaded.get(), piece.arguments, piece.grid});
}

}  // namespace muster
