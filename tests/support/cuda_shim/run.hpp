// run.hpp - CUDA's grid on the host, without a GPU: one thread after the other, in an adversarial order.
//
// One block runs at a time. Its threads run one by one, each up to the next __syncthreads() or its end, in an order that is
// drawn anew at each barrier; blocks come in a drawn order, too. So a barrier that is missing shows, as do shared memory that
// wasn't written before it is read (it holds rubbish when a block begins) and threads that wait at unlike barriers. What
// doesn't show: a race between threads that no barrier could part anyway, a fence that is missing (all threads see memory
// alike), and the GPU's own arithmetic.
//
// Of a launch that is cooperative all blocks are there at once. One of them runs until its threads have ended or wait: all at a
// barrier, or for other blocks, which __nanosleep() tells; then another one does.
//
// Known to the translation units that cuda_host.cpp makes, and to it. C++17, and nothing included: what CUDA's text may use
// stands alone. Threads: launches of one process, one at a time.
#pragma once

struct uint3 {  // CUDA's
    unsigned x, y, z;
};
extern const uint3 &threadIdx, &blockIdx, &blockDim, &gridDim;  // of the thread that runs

namespace muster_shim {

struct Launch {
    const unsigned char* parameters;  // the block, as cuLaunchKernel takes it
    uint3 block, grid;
    unsigned long long seed;
    bool has_barriers;  // its threads then get stacks of their own
    bool is_cooperative;
};

/// Of a kernel, from its signature: where C++ has each parameter in the block, and where the block ends.
struct Layout {
    const unsigned* offsets;
    unsigned count, bytes;
};

/// A kernel of a translation unit.
struct Kernel {
    /// "" where it ended well; else what a GPU would have answered with who knows what.
    const char* (*run)(const Launch& launch);
    Layout layout;
};

/// What a thread does, once its indices are set.
struct Thread {
    void (*body)(const unsigned char* parameters);
    unsigned char* shared;  // the kernel's shared memory: rubbish is put there before each block
    unsigned long shared_bytes;
};
const char* run_grid(const Launch& launch, const Thread& thread);

/// Waits for the block's other threads. `which` of the kernel's barriers it is.
void barrier(unsigned which);
/// Lets others run.
void sleep();

}  // namespace muster_shim
