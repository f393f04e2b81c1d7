#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/foundation/base/nearest.hpp>

namespace muster {
namespace {

constexpr std::size_t longest = 64;  // longer names aren't compared: they may be arbitrary bytes from a file
constexpr std::size_t most_names = 3;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

std::vector<std::string> nearest(std::string_view name, std::span<const std::string> names) {
    if (name.empty() || name.size() > longest) return {};
    std::vector<std::pair<std::size_t, std::size_t>> near;  // distance and index
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::size_t distance = edit_distance(name, names[i]);
        if (distance <= std::max<std::size_t>(1, names[i].size() / 3) || names[i].starts_with(name))
            near.emplace_back(distance, i);
    }
    std::ranges::sort(near);
    std::vector<std::string> found;
    for (const auto& [distance, i] : near)
        if (found.size() < most_names) found.push_back(names[i]);
    return found;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
    if (names.empty()) return {};
    const std::vector<std::string> near = nearest(name, names);
    if (near.empty()) return fmt::format("there are: {}", fmt::join(names, ", "));
    return fmt::format("did you mean \"{}\"?", fmt::join(near, "\" or \""));
}

}  // namespace muster
