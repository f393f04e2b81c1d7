// run.hpp - CUDA's grid on the host, without a GPU: threads run one after another, in an adversarial order.
//
// One block runs at a time. Its threads run one by one, each up to the next __syncthreads() or its end, in an
// order that is drawn anew at each barrier; blocks come in a random order, too. So a missing barrier shows, as
// do shared memory that is read before it is written (it has arbitrary contents when a block starts) and
// threads that wait at different barriers. These faults don't show: a race between threads that no barrier
// could part anyway, a missing fence (all threads see memory alike), and the GPU's own arithmetic.
//
// In a cooperative launch all blocks are resident at once. One of them runs until its threads have ended or
// wait, all at a barrier, or for other blocks, which __nanosleep() signals; then another one runs.
//
// The threads of a warp meet where their functions are called with one mask. __activemask() gives those that come there
// before they need others: of several places, the first one in the text goes on first. A mask that names a thread that
// never comes shows.
//
// Included by the translation units that cuda_host.cpp makes, and by cuda_host.cpp. C++17, and it includes
// nothing: the text may use only what CUDA provides. Threads: launches of one process, one at a time.
#pragma once

struct uint3 {  // CUDA's
    unsigned x, y, z;
};
extern const uint3 &threadIdx, &blockIdx, &blockDim, &gridDim;  // of the running thread

namespace muster_shim {

struct Launch {
    const unsigned char* parameters;  // laid out as for cuLaunchKernel
    uint3 block, grid;
    unsigned long long seed;
    bool has_barriers;  // then its threads get stacks of their own
    bool is_cooperative;
};

/// A kernel's parameter layout, from its signature: the offset of each parameter in the block, and the block's
/// end.
struct Layout {
    const unsigned* offsets;
    unsigned count, bytes;
};

/// A kernel of a translation unit.
struct Kernel {
    /// Returns "" if the launch ended well; otherwise the fault, which would be undefined on a GPU.
    const char* (*run)(const Launch& launch);
    Layout layout;
};

/// A thread's state while it runs, with its indices.
struct Thread {
    void (*body)(const unsigned char* parameters);
    unsigned char* shared;  // the kernel's shared memory, filled with 0xa5 before each block
    unsigned long shared_bytes;
};
const char* run_grid(const Launch& launch, const Thread& thread);

/// Waits for the block's other threads. `which`: the number of the kernel's barrier.
void barrier(unsigned which);
/// What the threads of a warp bring to a function that they call together.
struct Warp {
    unsigned mask;        // those that are there
    unsigned values[32];  // of the others: anything
};
/// Waits for the threads of the warp that the mask names; for all that can come, if it names none.
const Warp& meet_warp(unsigned which, unsigned mask, unsigned value);
/// Lets other threads run.
void sleep();

}  // namespace muster_shim
