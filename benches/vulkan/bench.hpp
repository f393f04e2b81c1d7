// bench.hpp - the tools of the rows: a session on one Vulkan device, and the plain program on the same
// device. Errors end the program.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <support/device_bench.hpp>

#include "raw.hpp"
#include "shaders.hpp"

namespace muster::bench {

struct Bench : BenchBesideRaw<RawDevice, RawBuffer> {
    /// Adds the two peers, guarded and plain, to a contest's list. `make` makes the passes of a run with such
    /// access; their result is in `out`, which has the contents `start` before.
    void add_raw(Contest& contest, const RawBuffer& out, const Words& start,
                 const std::function<std::vector<RawPass>(Access)>& make) const;
};

struct Row {
    std::string name;
    Contest (*make)(Bench&);
};
std::span<const Row> rows();

/// Measures and prints the rows about calls and start-up.
void print_calls(Bench& bench, const std::string& device, int rounds);
/// For another process: the milliseconds from here to the first result, by us ("muster") or by the plain
/// program.
double first_result(const std::string& by, const std::string& device);

}  // namespace muster::bench
