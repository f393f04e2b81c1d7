#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include <muster/cli/report/timeline.hpp>
#include <muster/cli/support/svg.hpp>
#include <muster/cli/support/text.hpp>

namespace muster::cli {
namespace {

constexpr double names = 300, width = 960, bar_height = 14, gap = 6, top = 40;
constexpr std::size_t most_of_name = 44;
constexpr double letter = 6.4;  // pixels, about

// Okabe and Ito's palette, lightened so that dark text can be read on it.
constexpr std::array<std::string_view, 8> colours{"#8cc3e8", "#f2c879", "#7fd1b9", "#f0a98a",
                                                  "#d9b3cf", "#f4ec9b", "#a7bdd9", "#c8ccd2"};
constexpr std::string_view style = R"(
text { font: 11px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #1c2024; }
.soft { fill: #60646c; }
.grid { stroke: #e8eaed; stroke-width: 1; }
.page { fill: #fff; }
)";

std::string cut(std::string_view name, std::size_t most) {
    return name.size() <= most ? std::string(name)
                               : std::string(name.substr(0, most < 3 ? 0 : most - 3)) + "...";
}

class Picture {
  public:
    Picture(std::uint64_t from, std::uint64_t to)
        : from_(from), to_(to), scale_(to > from ? width / static_cast<double>(to - from) : 0) {}

    void add(const TimelineLine& line) {
        body_ += fmt::format("<text x=\"8\" y=\"{:.0f}\">{}</text>\n", y_ + 11,
                             xml_text(cut(line.name, most_of_name)));
        std::vector<double> filled;  // of each depth: the pixel that its bars reach
        for (const TimelineBar& bar : line.bars) {
            if (bar.ended < from_ || bar.begun > to_) continue;
            if (filled.size() <= bar.depth) filled.resize(bar.depth + 1, -1.0);
            const double begin = at(bar.begun), end = std::max(at(bar.ended), begin + 0.6);
            if (end <= filled[bar.depth] + 0.3) continue;
            filled[bar.depth] = end;
            draw(bar, begin, end, y_ + bar.depth * bar_height);
        }
        y_ += static_cast<double>(std::max<std::size_t>(filled.size(), 1)) * bar_height + gap;
    }

    std::string text() const {
        std::string grid;
        for (int i = 0; i <= 8; ++i) {
            const double x = names + width * i / 8;
            const std::uint64_t time = (to_ - from_) / 8 * static_cast<std::uint64_t>(i);
            grid += fmt::format(
                "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.0f}\"/>\n"
                "<text class=\"soft\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
                x, top - 6, y_, top - 14, human_time(from_ + time));
        }
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\">\n<style>{2}</style>\n"
            "<rect class=\"page\" width=\"{0}\" height=\"{1:.0f}\"/>\n{3}{4}</svg>\n",
            names + width + 40, y_ + 10, style, grid, body_);
    }

  private:
    double at(std::uint64_t time) const {
        return names + static_cast<double>(std::clamp(time, from_, to_) - from_) * scale_;
    }
    std::string_view colour(std::string_view name) {
        const auto word = std::string(name.substr(0, name.find(' ')));
        return colours[colour_of_.try_emplace(word, colour_of_.size()).first->second % colours.size()];
    }
    void draw(const TimelineBar& bar, double begin, double end, double y) {
        const std::string name = xml_text(bar.name);
        body_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"><title>{}: {}</title>"
            "</rect>\n",
            begin, y, end - begin, bar_height - 1, colour(bar.name), name, human_time(bar.ended - bar.begun));
        const auto fits = static_cast<std::size_t>((end - begin - 4) / letter);
        if (end - begin > 5 * letter)
            body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\">{}</text>\n", begin + 2, y + 10,
                                 xml_text(cut(bar.name, fits)));
    }

    const std::uint64_t from_, to_;
    const double scale_;
    std::map<std::string, std::size_t> colour_of_;
    std::string body_;
    double y_ = top;
};

}  // namespace

std::string timeline_svg(std::span<const TimelineLine> lines, std::uint64_t from, std::uint64_t to) {
    Picture picture(from, to);
    for (const TimelineLine& line : lines) picture.add(line);
    return picture.text();
}

}  // namespace muster::cli
