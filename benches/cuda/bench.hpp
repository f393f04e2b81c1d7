// bench.hpp - the tools of the rows: a session on one CUDA device, and the plain program on the same device.
// Errors end the program.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <support/device_bench.hpp>

#include "cublas.hpp"
#include "raw.hpp"

namespace muster::bench {

struct Bench : BenchBesideRaw<RawDevice, RawBuffer> {
    const Cublas* cublas;  // null: there is none

    /// Adds the two peers, guarded and plain, to a contest's list. `make` makes the launches of a run from a
    /// function that returns a kernel; their result is in `out`, which has the contents `start` before.
    using Get = std::function<CUfunction(const char*)>;
    void add_raw(Contest& contest, const RawBuffer& out, const Words& start,
                 const std::function<std::vector<RawLaunch>(const Get&)>& make) const;
};

/// A peer, and the greatest ratio of our time to its time.
struct Goal {
    std::string peer;
    double ratio = 0;
};

struct Row {
    std::string name;
    std::vector<Goal> exact, fast;
    Contest (*make)(Bench&);
};
std::span<const Row> rows();

/// Measures and prints the rows about calls, copies and compiling.
void print_calls(Bench& bench, int rounds);
void print_copies(Bench& bench, int rounds);
void print_barriers(Bench& bench, std::uint32_t ordinal, int rounds);
/// Measures and prints compiling, without a device: NVRTC's time for the same text is the peer.
void print_compilation(int rounds);

}  // namespace muster::bench
