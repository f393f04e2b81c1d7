#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/contract/records.hpp>
#include <muster/driver/policy/device_selector.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/process/target.hpp>
#include <muster/driver/registry/project_backends.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/driver/support/with_fix.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

/// The detectors of targets, by type of device. Never destroyed.
struct Detectors {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const TargetDetector>, std::less<>> by_type;
};
Detectors& detectors() {
    static auto* const all = new Detectors;
    return *all;
}

std::shared_ptr<const TargetDetector> detector_of(std::string_view type) {
    Detectors& all = detectors();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_type.find(type);
    return found != all.by_type.end() ? found->second : nullptr;
}

Result<Target> ask(const TargetDetector& detector, std::string_view type, std::string_view device) {
    const std::string who = fmt::format("The target detector of \"{}\"", type);
    const std::string fix = "report this to who registered the detector";
    Target target =
        TRY(with_fix(guarded(who, [&] { return detector(device); }, {ErrorCode::unavailable, fix}), fix));
    if (!valid_id(target.backend) || target.arch.empty() || printable(target.arch) != target.arch)
        return fail(
            ErrorCode::unavailable,
            fmt::format("{} returns \"{}\", which isn't a target.", who, printable(target.to_string())), fix);
    return target;
}

/// The names of all backends, and of the types of devices that have a detector.
std::vector<std::string> known_types(const Fleet& fleet) {
    std::vector<std::string> types = fleet.ids();
    Detectors& all = detectors();
    const std::lock_guard lock(all.mutex);
    for (const auto& [type, detector] : all.by_type)
        if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    return types;
}

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

Result<DeviceInfo> device_of(Fleet& fleet, std::size_t which, const policy::DeviceSelector& selector) {
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
    if (const auto named = policy::DeviceSelector::parse(id); !named)
        return std::unexpected(Error(named.error()).during(step));
    const std::size_t which = TRY(during(step, find(fleet, id)));
    if (colon == std::string_view::npos) return fleet.default_target(which);
    return during(step, describe(fleet, which, std::string(text.substr(colon + 1))));
}

Result<Target> detect_target(Fleet& fleet, std::string_view device) {
    const std::string step = fmt::format("detecting the target of {}", printable(device));
    const policy::DeviceSelector selector = TRY(during(step, policy::DeviceSelector::parse(device)));
    if (!fleet.find(selector.backend)) {
        const auto colon = device.find(':');
        if (const auto detector = detector_of(selector.backend))
            return during(step, ask(*detector, selector.backend,
                                    colon == device.npos ? std::string_view() : device.substr(colon + 1)));
        return std::unexpected(unknown_backend(selector.backend, known_types(fleet)).during(step));
    }
    const std::size_t which = TRY(during(step, find(fleet, selector.backend)));
    const DeviceInfo info = TRY(during(step, device_of(fleet, which, selector)));
    return during(step, describe(fleet, which, info.arch));
}

Result<Target> detect_target(std::string_view device) { return detect_target(*process_fleet(), device); }

Result<Target> parse_target(std::string_view text) { return parse_target(*process_fleet(), text); }

Result<void> register_target_detector(std::string_view type, TargetDetector detector) {
    if (!valid_id(type))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("\"{}\" can't be a type of devices.", printable(type)),
                    "write lower-case letters, digits, '-' and '_', a letter first");
    if (!detector)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The target detector of \"{}\" isn't a function.", type),
                    "give a function that returns the target of a device");
    auto shared = std::make_shared<const TargetDetector>(std::move(detector));
    Detectors& all = detectors();
    const std::lock_guard lock(all.mutex);
    if (!all.by_type.emplace(type, std::move(shared)).second)
        return fail(ErrorCode::conflict, fmt::format("The type \"{}\" has a target detector.", type),
                    "register the detector once, or for another type");
    return {};
}

bool names_device(std::string_view text) {
    const auto selector = policy::DeviceSelector::parse(text);
    return selector && selector->names_a_device() &&
           !std::holds_alternative<policy::DeviceSelector::Arch>(selector->device);
}

}  // namespace muster
