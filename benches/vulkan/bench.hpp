// bench.hpp - the tools of the rows: a session on one Vulkan device, and the plain program on the same
// device. Errors end the program.
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
