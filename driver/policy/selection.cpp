#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/policy/selection.hpp>

namespace muster::policy {
namespace {

std::vector<DeviceSelector> parsed(const std::vector<std::string>& list) {
    std::vector<DeviceSelector> all;
    for (const std::string& entry : list)
        all.push_back(DeviceSelector::parse(entry).value_or(DeviceSelector{entry}));
    return all;
}

template <class Matches>
std::optional<std::size_t> first(std::span<const DeviceSelector> list, Matches matches) {
    const auto found = std::ranges::find_if(list, matches);
    if (found == list.end()) return std::nullopt;
    return static_cast<std::size_t>(found - list.begin());
}

}  // namespace

Selection::Selection(const Policy& policy) : excluded_(parsed(policy.exclude)) {
    if (const std::string* pin = pinned(policy)) {
        listed_ = parsed({*pin});
        is_pinned_ = true;
    } else if (policy.backends) {
        listed_ = parsed(*policy.backends);
    }
}

std::string Selection::to_string() const {
    if (!listed_) return "The policy allows every backend.";
    if (is_pinned_) return fmt::format("The policy pins {}.", listed_->front().to_string());
    std::vector<std::string> names;
    for (const DeviceSelector& one : *listed_) names.push_back(one.to_string());
    return fmt::format("The policy allows {} only.",
                       names.empty() ? "no backend" : fmt::format("{}", fmt::join(names, ", ")));
}

std::span<const DeviceSelector> Selection::listed() const {
    return listed_ ? std::span<const DeviceSelector>(*listed_) : std::span<const DeviceSelector>();
}

bool Selection::names(std::string_view backend) const { return list_index(backend).has_value(); }

bool Selection::excludes(std::string_view backend) const {
    return std::ranges::any_of(excluded_, [&](const DeviceSelector& one) {
        return one.backend == backend && !one.names_a_device();
    });
}

bool Selection::excludes(std::string_view backend, const DeviceInfo& device) const {
    return std::ranges::any_of(excluded_,
                               [&](const DeviceSelector& one) { return one.matches(backend, device); }) ||
           excludes(backend);
}

bool Selection::allows(std::string_view backend) const {
    return !excludes(backend) && (!listed_ || names(backend));
}

bool Selection::allows(std::string_view backend, const DeviceInfo& device) const {
    if (excludes(backend, device)) return false;
    return listed_ ? place(backend, device).has_value() : !device.on_request;
}

std::optional<std::size_t> Selection::list_index(std::string_view backend) const {
    return first(listed(), [&](const DeviceSelector& one) { return one.backend == backend; });
}

std::optional<Selection::Preference> Selection::place(std::string_view backend,
                                                      const DeviceInfo& device) const {
    if (!listed_) return Preference{device.software_emulated, 0};
    std::optional<Preference> best;
    for (std::size_t i = 0; i < listed_->size(); ++i) {
        const DeviceSelector& entry = (*listed_)[i];
        if (!entry.matches(backend, device)) continue;
        const Preference here{device.software_emulated && !entry.names_a_device(), i};
        if (!best || here < *best) best = here;
    }
    return best;
}

std::vector<DeviceSelector> Selection::missing(std::span<const DeviceSelector> entries,
                                               std::string_view backend,
                                               std::span<const DeviceInfo> devices) const {
    std::vector<DeviceSelector> all;
    for (const DeviceSelector& one : entries)
        if (one.backend == backend && std::ranges::none_of(devices, [&](const DeviceInfo& device) {
                return one.matches(backend, device);
            }))
            all.push_back(one);
    return all;
}

}  // namespace muster::policy
