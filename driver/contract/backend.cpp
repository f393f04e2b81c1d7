#include <fmt/format.h>

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/enum_name.hpp>

namespace muster {

std::string_view name(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::cpu: return "cpu";
        case DeviceKind::integrated_gpu: return "integrated gpu";
        case DeviceKind::discrete_gpu: return "discrete gpu";
        case DeviceKind::virtual_gpu: return "virtual gpu";
        case DeviceKind::other: return "other";
    }
    return "unknown";
}

std::string_view name(Promise promise) { return enum_name(promise); }

std::string to_string(const PciAddress& address) {
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address.domain, address.bus, address.device,
                       address.function);
}

std::string to_string(const Uuid& uuid) {
    std::string text;
    for (std::size_t i = 0; i < uuid.size(); ++i)
        text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    return text;
}

}  // namespace muster
