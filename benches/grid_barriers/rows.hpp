// rows.hpp - the work of each row: one program with grid barriers, and the equivalent dispatches.
#pragma once

#include <span>
#include <string>

#include <support/kit.hpp>

namespace muster::bench {

struct Bench {
    Session session;
    std::uint32_t small;  // divides the sizes, for quick trials

    /// The kernel of a text; `entry` if it has several.
    Kernel kernel(const std::string& text, const std::string& entry = "");
    Ticket submit(const Kernel& kernel, const std::vector<Argument>& arguments, const Grid& grid) {
        return must(session.dispatch(kernel, std::span<const Argument>(arguments), grid));
    }
};

struct Work {
    Contest contest;  // the one program first, then the dispatches by hand
    Kernel program;
};
struct Row {
    std::string name;
    Work (*make)(Bench&);
};
std::span<const Row> rows();

}  // namespace muster::bench
