// rows.hpp - the work of each row: one program with grid barriers, and the dispatches that do the same.
#pragma once

#include <span>
#include <string>

#include <support/kit.hpp>

namespace muster::bench {

struct Bench {
    Session session;
    std::uint32_t small;  // divides the sizes, to try things out

    /// Of a file below the source folder; `entry` where it has several.
    Kernel kernel(const std::string& path, const std::string& entry = "");
    Ticket submit(const Kernel& kernel, const std::vector<Argument>& arguments, const Grid& grid) {
        return must(session.dispatch(kernel, std::span<const Argument>(arguments), grid));
    }
};

struct Work {
    Contest contest;  // one program first, then by hand
    Kernel program;
};
struct Row {
    std::string name;
    Work (*make)(Bench&);
};
std::span<const Row> rows();

}  // namespace muster::bench
