// launch.hpp - the device's queue: runs submissions one after the other, each spread over the cores.
//
// Threads that run a submission:
//   - Small work that is sure to end (the image bounds a workgroup's cost) runs within submit() if nothing
//     else is in flight: handing it to another thread costs more than running it.
//   - All other work runs on the queue's own thread, which starts with the first such submission, and on
//     as many oneTBB workers as there are cores left. Workgroups are handed out in chunks that get
//     smaller towards the end.
//   - A waiting thread runs chunks too, instead of sleeping, if the kernel is sure to end and its
//     chunks are short, so that the timeout is kept. A kernel with a loop of unknown bound never
//     runs on a caller's thread.
//
// Why oneTBB: its workers are shared with the user's own oneTBB code, so that both together don't take more
// threads than there are cores; it composes, whereas nested OpenMP regions start new threads or run on one.
// Why a thread of our own as well: all workers may be inside a user's loop, waiting for this queue. Our
// thread always makes progress.
//
// Workers and waiting threads run kernels in the floating-point state that these are
// compiled for (KernelFloats).
#pragma once

#include <cstdint>
#include <memory>

#include <muster/driver/contract/backend.hpp>

namespace muster::cpu {

class Queue {
  public:
    /// threads: at most so many run one launch at a time.
    explicit Queue(std::uint32_t threads);
    /// Stops the running launch once its current chunks have ended, and waits for that.
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// Errors: out_of_memory (a thread's scratch; in flight, it is the submission's outcome), unavailable
    /// (the system can't start a thread), device_lost (abandoned).
    Result<Submitted> submit(const Launch& launch);

    /// Stops the running launch once its current chunks have ended, and all that wait, without
    /// waiting for that. Later submissions fail. The queue's thread is detached; a chunk that never
    /// ends keeps its thread for good.
    void abandon();

  private:
    struct State;
    std::shared_ptr<State> state_;  // shared with the thread, which may outlive the queue
};

}  // namespace muster::cpu
