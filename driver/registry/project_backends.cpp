#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/policy/environment.hpp>
#include <muster/driver/registry/project_backends.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/printable.hpp>

namespace muster {
namespace {

constexpr ProjectBackend listed[]{
#include "project_backends.inc"
    {{}, {}},
};

const ProjectBackend* find_in_project(std::string_view id) {
    const auto all = project_backends();
    const auto found = std::ranges::find(all, id, &ProjectBackend::id);
    return found == all.end() ? nullptr : &*found;
}

std::string target_name(std::string_view id) {
    std::string name(id);
    std::ranges::replace(name, '-', '_');
    return "muster::backend_" + name;
}

/// The fix for one of the project's backends that isn't linked.
std::string how_to_link(const ProjectBackend& backend) {
    if (backend.left_out.empty())
        return fmt::format("target_link_libraries(app PRIVATE {}) links it", target_name(backend.id));
    return fmt::format("it was left out of this build of muster, {}; build muster with it, and link {}",
                       backend.left_out, target_name(backend.id));
}

}  // namespace

std::span<const ProjectBackend> project_backends() { return std::span(listed).first(std::size(listed) - 1); }

std::string how_to_link(std::string_view id, std::span<const std::string> linked) {
    if (const ProjectBackend* known = find_in_project(id)) return how_to_link(*known);
    std::vector<std::string> names(linked.begin(), linked.end());
    for (const ProjectBackend& one : project_backends())
        if (std::ranges::find(names, one.id) == names.end()) names.emplace_back(one.id);
    const std::vector<std::string> near = nearest(id, names);
    if (near.empty())
        return linked.empty() ? "link a backend: this program has none"
                              : fmt::format("name one of: {}", fmt::join(linked, ", "));
    std::string text = did_you_mean(id, near);
    for (const std::string& one : near)
        if (const ProjectBackend* known = find_in_project(one);
            known && std::ranges::find(linked, one) == linked.end())
            text += fmt::format(" {} isn't linked: {}.", one, how_to_link(*known));
    return text;
}

std::string how_to_get(std::string_view id, std::span<const std::string> linked) {
    std::string text = how_to_link(id, linked);
    if (const auto plugins = environment_plugins(); plugins && !plugins->autoload)
        text += "; MUSTER_AUTOLOAD=0 looks for no plugins: unset it where a plugin has the backend";
    return text;
}

Error unknown_backend(std::string_view id, std::span<const std::string> linked) {
    Error error{ErrorCode::not_found,
                fmt::format("No backend is called \"{}\".", printable(id)),
                how_to_get(id, linked),
                {}};
    if (find_in_project(id) != nullptr) return error;
    std::vector<std::string> others;
    for (const ProjectBackend& one : project_backends())
        if (std::ranges::find(linked, one.id) == linked.end()) others.emplace_back(one.id);
    const auto listed_or_none = [](std::span<const std::string> ids) {
        return ids.empty() ? std::string("none") : fmt::format("{}", fmt::join(ids, ", "));
    };
    error.fix += fmt::format(" (known: {}; not linked: {})", listed_or_none(linked), listed_or_none(others));
    return error;
}

}  // namespace muster
