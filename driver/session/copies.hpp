// copies.hpp - copies and fills between buffers as launches, in order with the device's other work: the
// device's own transfer, or small kernels where it has none. Internal to driver/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <muster/driver/device/launches.hpp>
#include <muster/driver/session/session_state.hpp>

namespace muster {

/// A copy from a range to another of the same size, or, without `from`, a fill with a word. Ranges
/// have their actual sizes.
struct CopyTransfer {
    std::optional<BufferRange> from;
    BufferRange to;
    std::uint32_t word = 0;

    /// Errors: invalid_argument (beyond a buffer's end, no whole words, two sizes), conflict (overlap).
    static Result<CopyTransfer> copy(const BufferRange& from, const BufferRange& to);
    static Result<CopyTransfer> fill(const BufferRange& what, std::uint32_t word);

    const ValidProgram& program() const;  // the kernel for devices without transfers
    bool is_within_one_buffer() const { return from && from->buffer.state() == to.buffer.state(); }
    /// The device that has one of the ranges, the target's first; null while both are on the host.
    std::shared_ptr<DeviceContext> device() const;
};

/// The launches of a transfer on one device: one, or more if kernels do it and a range is larger than the
/// device's largest binding.
class TransferLaunches {
  public:
    /// Errors: those of compiling and loading the kernel on the device.
    static Result<TransferLaunches> make(const Session::State& session, DeviceContext& device,
                                         const CopyTransfer& transfer);

    /// Appends the launches, which refer to this object or a copy of it.
    void append_to(std::vector<BoundLaunch>& launches) const;

  private:
    struct Piece;
    struct Made;
    static void add_one(Made& made);
    static Result<void> add_kernels(Made& made, const Session::State& session, DeviceContext& device);
    explicit TransferLaunches(std::shared_ptr<const Made> made) : made_(std::move(made)) {}
    std::shared_ptr<const Made> made_;
};

}  // namespace muster
