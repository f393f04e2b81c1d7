// sequence.hpp - dispatches, copies and fills that are recorded once and submitted many times.
//
//     muster::Sequence pass = session.sequence();
//     pass.fill(counts, 0);
//     pass.dispatch(count, {{"keys", keys}, {"counts", counts}}, Invocations{n});
//     pass.copy({counts}, {saved});
//     for (int i = 0; i < 100; ++i) last = pass.submit();        // one ticket for all of it
//
// Arguments and grids are checked when they are recorded; submit() only locks the buffers, once for all
// steps. Steps run in their order, each sees what those before it wrote, and so do submissions. All steps run
// on one device, that of its kernels. Sequence is a handle: copies name the same steps. It keeps its kernels
// and buffers alive. Threads: one at a time records; then any number may submit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include <muster/driver/contract/grid.hpp>
#include <muster/driver/device/argument.hpp>
#include <muster/driver/device/buffer.hpp>
#include <muster/driver/device/ticket.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

class BoundKernel;
class Kernel;

class Sequence {
  public:
    /// Adds a dispatch; values are copied now. Errors: those of Session::dispatch that concern arguments and
    /// grid; conflict (the kernel is on another device than those before it).
    Result<void> dispatch(const Kernel& kernel, std::span<const Argument> arguments, const Grid& grid);
    Result<void> dispatch(const Kernel& kernel, std::initializer_list<Argument> arguments, const Grid& grid) {
        return dispatch(kernel, std::span<const Argument>(arguments.begin(), arguments.size()), grid);
    }
    /// Likewise, of a kernel whose arguments were checked before (Session::bind). One after the other of the
    /// same are cheap: a few nanoseconds each.
    Result<void> dispatch(const BoundKernel& kernel, const Grid& grid);
    /// Adds a copy of bytes (Session::copy).
    Result<void> copy(const BufferRange& from, const BufferRange& to);
    /// Adds a fill of words (Session::fill).
    Result<void> fill(const BufferRange& what, std::uint32_t word);

    std::size_t size() const;  // steps

    /// Submits all steps under one ticket; its time is their sum. After an error, earlier steps may run.
    /// Errors: those of Session::dispatch, with the step's number from 0.
    Result<Ticket> submit() const;

    struct State;
    explicit Sequence(std::shared_ptr<State> state) : state_(std::move(state)) {}

  private:
    std::shared_ptr<State> state_;
};

MUSTER_API_END
}  // namespace muster
