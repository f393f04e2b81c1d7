// A session's devices: opens them, and says which one is in use once one was opened anew.
#include <algorithm>
#include <utility>

#include <muster/driver/session/session_state.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

std::shared_ptr<DeviceContext> Session::State::opened_device(const Execute& where) {
    const std::size_t backend = *fleet->find(where.backend);
    const std::lock_guard lock(devices_mutex);
    const auto after = devices.upper_bound({backend, where.device.ordinal, UINT32_MAX});
    if (after == devices.begin()) return nullptr;
    const auto& [key, device] = *std::prev(after);
    return key.backend == backend && key.ordinal == where.device.ordinal ? device : nullptr;
}

Result<std::shared_ptr<DeviceContext>> Session::State::open_device(const Execute& where) {
    const std::size_t backend = *fleet->find(where.backend);
    auto opened = [&]() -> Result<std::shared_ptr<DeviceContext>> {
        return DeviceContext::open(TRY(fleet->backend(backend)), where.device.ordinal,
                                   policy.policy.validate.value_or(Validation::off),
                                   policy.policy.optimize.value_or(Optimize::later));
    }();
    if (opened && on_failure() != OnFailure::fail) (*opened)->keep_host_copies();
    return opened;
}

void Session::State::use_device(const Execute& where, std::shared_ptr<DeviceContext> opened) {
    const std::lock_guard lock(devices_mutex);
    DeviceKey key{*fleet->find(where.backend), where.device.ordinal};
    while (devices.contains(key)) ++key.opening;
    devices.emplace(key, std::move(opened));
}

Result<std::shared_ptr<DeviceContext>> Session::State::device(const Execute& where) {
    const auto usable = [&]() -> std::shared_ptr<DeviceContext> {
        auto device = opened_device(where);
        const bool is_to_be_opened = device && device->is_lost() && on_failure() == OnFailure::retry;
        return is_to_be_opened ? nullptr : device;
    };
    if (auto device = usable()) return device;
    const std::lock_guard opening(open_mutex);
    if (auto device = usable()) return device;
    auto opened = open_device(where);
    if (opened) {
        use_device(where, *opened);
    } else {
        const std::lock_guard lock(devices_mutex);
        unopened.insert_or_assign({*fleet->find(where.backend), where.device.ordinal}, opened.error());
    }
    return opened;
}

}  // namespace muster
