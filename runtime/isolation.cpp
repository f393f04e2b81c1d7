// driver/probing/isolation.cpp of programs that link muster::runtime: their backend is part of them, so no
// other process probes it.
#include <fmt/format.h>

#include <muster/driver/policy/environment.hpp>
#include <muster/driver/probing/isolation.hpp>

namespace muster::probing {

ProbeResult Isolation::probe(const std::string& id, const std::string&, std::chrono::nanoseconds) const {
    return {ProbeState::not_isolated,
            {},
            {ErrorCode::refused,
             fmt::format("{} is part of this program: no other process can load it to probe it.", id),
             "leave MUSTER_PROBE unset",
             {}},
            {}};
}

/// Never called: devices aren't checked (runtime/proving.cpp).
DeviceCheck Isolation::check(const std::string&, const std::string&, const DeviceInfo&,
                             std::chrono::nanoseconds) const {
    return {.not_done = "This program links muster::runtime, which checks no devices."};
}

std::shared_ptr<const Isolation> environment_isolation() {
    if (const auto probing = environment_probing(); probing && *probing == Probing::in_process)
        return nullptr;
    return std::make_shared<const Isolation>(std::string());  // never started
}

}  // namespace muster::probing
