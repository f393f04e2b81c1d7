#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/policy/device_selector.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/process/target.hpp>
#include <muster/driver/registry/project_backends.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

Result<std::size_t> find(const Fleet& fleet, std::string_view id) {
    const auto which = fleet.find(id);
    if (!which) return std::unexpected(unknown_backend(id, fleet.ids()));
    if (const auto& fault = fleet.entry(*which).fault) return std::unexpected(*fault);
    return *which;
}

Result<Target> describe(Fleet& fleet, std::size_t which, const std::string& arch) {
    const auto backend = TRY(fleet.backend(which));
    const std::string& id = fleet.entry(which).id;
    Target target = TRY(guarded("Backend::describe", [&] { return backend->describe(arch); }));
    if (target.backend != id)
        return fail(ErrorCode::unavailable,
                    fmt::format("{} describes a target of \"{}\".", id, printable(target.backend)),
                    "report this to who wrote the backend");
    return target;
}

Result<DeviceInfo> device_of(Fleet& fleet, std::size_t which, const DeviceSelector& selector) {
    const ProbeResult& probe = fleet.probe(which);
    if (probe.state != ProbeState::answered) return std::unexpected(probe.error);
    std::vector<std::string> there;
    for (const auto* devices : {&probe.devices, &probe.on_request})
        for (const DeviceInfo& device : *devices) {
            if (selector.matches(selector.backend, device)) return device;
            there.push_back(fmt::format("{} ({})", device_id(selector.backend, device), device.name));
        }
    if (there.empty())
        return fail(ErrorCode::not_found, fmt::format("{} finds no device.", selector.backend),
                    "name a target by its arch: no device is needed for that");
    return fail(ErrorCode::not_found, fmt::format("There is no device {}.", selector.to_string()),
                fmt::format("name one that is there: {}", fmt::join(there, ", ")));
}

}  // namespace

Result<Target> parse_target(Fleet& fleet, std::string_view text) {
    const auto colon = text.find(':');
    const std::string_view id = text.substr(0, colon);
    const std::string step = fmt::format("reading the target \"{}\"", printable(text));
    if (const auto named = DeviceSelector::parse(id); !named)
        return std::unexpected(Error(named.error()).during(step));
    const std::size_t which = TRY(during(step, find(fleet, id)));
    if (colon == std::string_view::npos) return fleet.default_target(which);
    return during(step, describe(fleet, which, std::string(text.substr(colon + 1))));
}

Result<Target> detect_target(Fleet& fleet, std::string_view device) {
    const std::string step = fmt::format("detecting the target of {}", printable(device));
    const DeviceSelector selector = TRY(during(step, DeviceSelector::parse(device)));
    const std::size_t which = TRY(during(step, find(fleet, selector.backend)));
    const DeviceInfo info = TRY(during(step, device_of(fleet, which, selector)));
    return during(step, describe(fleet, which, info.arch));
}

Result<Target> detect_target(std::string_view device) { return detect_target(*process_fleet(), device); }

Result<Target> parse_target(std::string_view text) { return parse_target(*process_fleet(), text); }

bool names_device(std::string_view text) {
    const auto selector = DeviceSelector::parse(text);
    return selector && selector->names_a_device() &&
           !std::holds_alternative<DeviceSelector::Arch>(selector->device);
}

}  // namespace muster
