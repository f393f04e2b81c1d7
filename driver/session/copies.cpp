#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/session/copies.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/lang/kernel.hpp>

namespace muster {
namespace {

using namespace lang;

constexpr std::uint32_t workgroup_size = 256;

/// Where a kernel's words begin in its bindings, how many there are, and the word to fill with.
using Range = std::array<std::uint32_t, 4>;  // first word of the source, of the target, words, fill

const ValidProgram& copy_words() {
    static const ValidProgram program =
        *validate(*kernel("copy_words(range, source, copy)", {workgroup_size},
                          [](Uniform<vec4<u32>> range, In<u32> source, InOut<u32> copy) {
                              Value<vec4<u32>> at = range;
                              Value<u32> i = global_invocation_id().x();
                              if_(i < at.z(), [&] { copy[at.y() + i] = source[at.x() + i]; });
                          }));
    return program;
}

/// Copies within one buffer, which a kernel can't bind twice if it writes to it.
const ValidProgram& copy_words_within() {
    static const ValidProgram program = *validate(*kernel(
        "copy_words_within(range, words)", {workgroup_size}, [](Uniform<vec4<u32>> range, InOut<u32> words) {
            Value<vec4<u32>> at = range;
            Value<u32> i = global_invocation_id().x();
            if_(i < at.z(), [&] { words[at.y() + i] = words[at.x() + i]; });
        }));
    return program;
}

const ValidProgram& fill_words() {
    static const ValidProgram program = *validate(
        *kernel("fill_words(range, words)", {workgroup_size}, [](Uniform<vec4<u32>> range, InOut<u32> words) {
            Value<vec4<u32>> at = range;
            Value<u32> i = global_invocation_id().x();
            if_(i < at.z(), [&] { words[at.y() + i] = at.w(); });
        }));
    return program;
}

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

Result<Transfer> Transfer::copy(const BufferRange& from, const BufferRange& to) {
    Transfer made{TRY(whole_words(from, "source of the copy")), TRY(whole_words(to, "target of the copy"))};
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

Result<Transfer> Transfer::fill(const BufferRange& what, std::uint32_t word) {
    return Transfer{{}, TRY(whole_words(what, "range to fill")), word};
}

const ValidProgram& Transfer::program() const {
    if (!from) return fill_words();
    return is_within_one_buffer() ? copy_words_within() : copy_words();
}

std::shared_ptr<DeviceContext> Transfer::device() const {
    const auto holder = [](const BufferRange& range) -> std::shared_ptr<DeviceContext> {
        Buffer::State& state = *range.buffer.state();
        const std::lock_guard lock(state.mutex);
        return state.memory ? state.memory->device().shared_from_this() : nullptr;
    };
    auto device = holder(to);
    return device || !from ? device : holder(*from);
}

struct TransferLaunches::Piece {
    FoldedDispatch grid;
    ArgumentValue range = {};
    BoundArguments arguments = {};  // the first points to `range`
};

struct TransferLaunches::Made {
    Transfer transfer;  // keeps the buffers alive
    std::shared_ptr<const LoadedProgram> loaded;
    std::deque<Piece> pieces;  // a deque, because pieces don't move
};

namespace {

/// The most bytes that one launch copies: a binding may begin up to an alignment early, and words are counted in 32 bits.
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

Result<PieceRanges> ranges_of(const Transfer& transfer, std::uint64_t done, std::uint64_t bytes,
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

Result<TransferLaunches> TransferLaunches::make(const Session::State& session, DeviceContext& device,
                                                const Transfer& transfer) {
    const ValidProgram& program = transfer.program();
    const DeviceLimits& limits = device.info().limits;
    auto made = std::make_shared<Made>(Made{transfer, {}, {}});
    made->loaded = TRY(device.load(program, session.with_policy({}), session.compile_budget()));
    const std::uint64_t most = most_bytes_at_once(limits);
    for (std::uint64_t done = 0, bytes = 0; done < transfer.to.bytes; done += bytes) {
        bytes = std::min(most, transfer.to.bytes - done);
        const PieceRanges at = TRY(ranges_of(transfer, done, bytes, limits));
        const auto words = static_cast<std::uint32_t>(bytes / 4);
        const Range range{first_word(at.from, at.source.value_or(at.target)), first_word(at.to, at.target),
                          words, transfer.word};
        const Extent3 groups{(words + workgroup_size - 1) / workgroup_size, 1, 1};
        Piece& piece =
            made->pieces.emplace_back(FoldedDispatch{groups, TRY(fold_grid(groups, limits.max_workgroups))});
        piece.range.bytes = InlineVector<std::byte, 64>(std::as_bytes(std::span(range)));
        const auto bind = [&](auto what) {
            piece.arguments.push_back(
                {&program->variable(program->bindings()[piece.arguments.size()]), what});
        };
        bind(&std::as_const(piece.range));
        if (at.source) bind(*at.source);
        bind(at.target);
    }
    return TransferLaunches(std::move(made));
}

void TransferLaunches::append_to(std::vector<BoundLaunch>& launches) const {
    for (const Piece& piece : made_->pieces)
        launches.push_back({made_->loaded.get(), piece.arguments, piece.grid});
}

}  // namespace muster
