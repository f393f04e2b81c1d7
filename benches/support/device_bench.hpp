// device_bench.hpp - what the benchmarks of a backend share that compare with a plain program of the same API: a
// session on one device, and the plain program on the same device. Errors end the program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kit.hpp"

namespace muster::bench {

struct DeviceBench {
    Session session;
    Precision precision;
    std::uint32_t small;  // divides the sizes, for quick trials

    /// The kernel of a file in the source folder.
    Kernel kernel(const std::string& path, std::vector<wgsl::OverrideValue> overrides = {}) {
        return prepare(session, read_text(path), precision, std::move(overrides));
    }
    Ticket submit(const Kernel& kernel, const std::vector<Argument>& arguments, const Grid& grid) {
        return must(session.dispatch(kernel, std::span<const Argument>(arguments), grid));
    }
    template <class T>
    Buffer buffer(const std::vector<T>& from) {
        return must(session.buffer(from));
    }
};

/// guarded: each access of the plain program's kernel to a buffer checks its index, as our language requires;
/// plain: none does.
enum class Access : std::uint8_t { guarded, plain };

/// RawDevice: the plain program's device, with buffer(bytes), write(buffer, bytes) and read(buffer, bytes).
template <class RawDevice, class RawBuffer>
struct BenchBesideRaw : DeviceBench {
    RawDevice& raw;

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
    /// The plain program's contender: `run`, whose result is in `out`, which has the contents `start` before.
    Contender peer(const std::string& name, const std::function<void()>& run, const RawBuffer& out,
                   const Words& start) const {
        return {name, run, [=, this] {
                    raw.write(out, std::as_bytes(std::span(start)));
                    run();
                    return words(out);
                }};
    }
};

inline const char* const empty_text =
    "@group(0) @binding(0) var<storage, read_write> data: array<u32, 1>;"
    "@compute @workgroup_size(1) fn main() { if data[0] != 0 { data[0] = 0; } }";

inline constexpr const char* head_of_calls =
    "\n| | muster | raw | ratio | target | |\n| --- | --- | --- | --- | --- | --- |\n";

/// A line of the table about calls: our time, and that of the peer with this number.
void print_line(const std::string& what, const Times& times, std::size_t peer, double scale, const char* unit,
                double target);

}  // namespace muster::bench
