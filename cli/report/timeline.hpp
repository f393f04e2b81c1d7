// timeline.hpp - a picture, as SVG, of what happened when: a line for each thread, device or step, with bars from beginning to end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::cli {

/// Times in ns. A bar's colour is that of its name's first word.
struct TimelineBar {
    std::string name;
    std::uint64_t begun = 0, ended = 0;
    std::uint32_t depth = 0;  // bars lie below those that they are in
};
struct TimelineLine {
    std::string name;
    std::vector<TimelineBar> bars;  // by their beginnings
};

/// The lines below one another, over the time from `from` to `to`. A bar that would hide behind its neighbour's pixel is left
/// out, so that the picture's size has a limit whatever the number of bars.
std::string timeline_svg(std::span<const TimelineLine> lines, std::uint64_t from, std::uint64_t to);

}  // namespace muster::cli
