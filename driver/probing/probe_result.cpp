#include <fmt/format.h>

#include <muster/driver/probing/probe_result.hpp>
#include <muster/foundation/base/enum_name.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

std::string_view name(ProbeState state) { return enum_name(state); }

bool may_load(ProbeState state) {
    switch (state) {
        case ProbeState::answered:
        case ProbeState::factory_failed:
        case ProbeState::failed:
        case ProbeState::not_isolated: return true;
        case ProbeState::timed_out:
        case ProbeState::crashed:
        case ProbeState::unreadable:
        case ProbeState::no_helper: return false;
    }
    return false;
}

Result<void> check_device_info(std::string_view backend, const DeviceInfo& device) {
    const DeviceLimits& limits = device.limits;
    if (limits.max_workgroup_size.count() == 0 || limits.max_workgroup_invocations == 0 ||
        limits.max_workgroups.x == 0 || limits.max_workgroups.y == 0 || limits.max_workgroups.z == 0)
        return fail(ErrorCode::unavailable,
                    fmt::format("{} reports device {} with a limit of zero workgroups or invocations.",
                                backend, device.ordinal),
                    "report this to who wrote the backend");
    return {};
}

DeviceInfo printable(DeviceInfo device) {
    for (std::string* text : {&device.name, &device.arch, &device.driver}) *text = printable(*text);
    if (device.no_compiler)
        for (std::string* text : {&device.no_compiler->message, &device.no_compiler->fix})
            *text = printable(*text);
    return device;
}

Result<void> check_device_info(std::string_view backend, const std::vector<DeviceInfo>& devices) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            if (devices[j].ordinal == devices[i].ordinal)
                return fail(ErrorCode::unavailable,
                            fmt::format("The probe of {} names two devices with ordinal {}.", backend,
                                        devices[i].ordinal),
                            "report this to who wrote the backend");
        TRY(check_device_info(backend, devices[i]));
    }
    return {};
}

}  // namespace muster
