// bench.hpp - the tools of the rows: a session on one CUDA device, and the plain program on the same device.
// Errors end the program.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <support/kit.hpp>

#include "cublas.hpp"
#include "raw.hpp"

namespace muster::bench {

struct Bench {
    Session session;
    RawDevice& raw;
    const Cublas* cublas;  // null: there is none
    Precision precision;
    std::uint32_t small;  // divides the sizes, for quick trials

    /// The kernel of a file in the source folder.
    Kernel kernel(const std::string& path, std::vector<wgsl::OverrideValue> overrides = {});
    Ticket submit(const Kernel& kernel, const std::vector<Argument>& arguments, const Grid& grid) {
        return must(session.dispatch(kernel, std::span<const Argument>(arguments), grid));
    }
    template <class T>
    Buffer buffer(const std::vector<T>& from) {
        return must(session.buffer(from));
    }
    template <class T>
    RawBuffer raw_buffer(const std::vector<T>& from) const {
        RawBuffer made = raw.buffer(from.size() * sizeof(T));
        raw.write(made, std::as_bytes(std::span(from)));
        return made;
    }
    Words words(const RawBuffer& from) const {
        Words all(from->bytes / sizeof(std::uint32_t));
        raw.read(from, std::as_writable_bytes(std::span(all)));
        return all;
    }
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
