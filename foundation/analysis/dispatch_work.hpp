// dispatch_work.hpp - estimates what a dispatch does: operations, bytes of its bindings, barriers.
//
//     const DispatchWork work = dispatch_work(program, {.grid = {4096, 1, 1}, .bindings = sizes_and_values});
//     work.operations;    // of scalars, over all invocations
//
// A few invocations, spread over the grid, are followed through the program with all that is known before it
// runs: their ids, the sizes of the bindings, the values of uniforms. The counts of loops and the branches
// that depend on these are exact for them; of a long loop only some iterations are followed. What depends on
// stored data is guessed: a branch is taken half of the time, and a loop runs as often as the invocations
// together need to go through the largest of the arrays that it reads.
//
// Threads: pure. Cost: some 65,000 nodes are followed at most, and a few hundred of most programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A binding as the host knows it: its size, and its bytes if the host has them. Others are empty.
struct KnownBinding {
    std::uint64_t bytes = 0;
    std::span<const std::byte> value = {};
};

struct KnownDispatch {
    Extent3 grid;                                 // workgroups
    std::span<const KnownBinding> bindings = {};  // in Program::bindings() order
};

struct DispatchWork {
    /// In units of an addition of two f32; what is the same for a whole workgroup isn't counted.
    double operations = 0;
    /// Bytes of bindings, read plus written; at most the whole of a binding once.
    double bytes = 0;
    /// Barriers, each times the invocations that arrive.
    double arrivals = 0;
    double workgroups = 0;
    /// True if anything depended on stored data.
    bool is_guess = false;
};

DispatchWork dispatch_work(const Program& program, const KnownDispatch& dispatch);

MUSTER_API_END
}  // namespace muster
