// launch.hpp - the device's queue: submissions run one after the other, each spread over the cores.
//
// Who runs the work:
//   - Work that is small and sure to end (the image says how much a workgroup costs at most) runs within submit(), when
//     nothing else is in flight: handing it to another thread costs more than running it.
//   - All else is run by the queue's own thread, which starts with the first such submission, and by as many of oneTBB's
//     workers as there are cores left. Workgroups are handed out in pieces that get smaller towards the end.
//   - Who waits takes pieces too, instead of sleeping, where the kernel is sure to end and its pieces are short: so the
//     timeout is kept. A kernel whose loops have no known bound is never run on a thread of the caller's.
//
// Why oneTBB: its workers are the same ones that a user's own oneTBB code runs on, so both together don't take more
// cores than there are; it is composable, where nested OpenMP regions start threads anew or run on one. Why a thread
// of our own beside it: all of the workers may be inside a user's loop and wait for this queue there. It always goes on.
//
// Workers and the waiter get the floating-point state that kernels are compiled for, whatever they had.
#pragma once

#include <cstdint>
#include <memory>

#include <muster/driver/contract/backend.hpp>

namespace muster::cpu {

class Queue {
  public:
    /// threads: how many run one launch at once, at most.
    explicit Queue(std::uint32_t threads);
    /// Ends what runs between two pieces and waits for that.
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// Errors: out_of_memory (for a thread's scratch; in flight: as the submission's end), unavailable (no thread to
    /// be had), device_lost (abandoned).
    Result<Submitted> submit(const Launch& launch);

    /// Ends what runs between two pieces, and what waits, without waiting for that; takes nothing more. A piece that
    /// never ends keeps its thread, which is nobody's any more.
    void abandon();

  private:
    struct Line;
    std::shared_ptr<Line> line_;  // shared with the thread, which may outlive the queue
};

}  // namespace muster::cpu
