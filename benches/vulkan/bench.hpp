// bench.hpp - what the rows are made with: a session on one Vulkan device, and the plain program on the same. Errors end the program.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <support/kit.hpp>

#include "raw.hpp"
#include "shaders.hpp"

namespace muster::bench {

struct Bench {
    Session session;
    RawDevice& raw;
    Precision precision;
    std::uint32_t small;  // divides the sizes, to try things out

    /// Of a file below the source folder.
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
    /// The peer's two, for a contest's list: guarded and plain. `make` makes the passes of a run with such access;
    /// what they write is in `out` and was `start` before.
    void add_raw(Contest& contest, const RawBuffer& out, const Words& start,
                 const std::function<std::vector<RawPass>(Access)>& make) const;
};

struct Row {
    std::string name;
    Contest (*make)(Bench&);
};
std::span<const Row> rows();

/// The rows about calls and starts, not kernels: printed as they are measured.
void print_calls(Bench& bench, const std::string& device, int rounds);
/// For another process: milliseconds from here to the first result, by us ("muster") or the plain program.
double first_result(const std::string& by, const std::string& device);

}  // namespace muster::bench
