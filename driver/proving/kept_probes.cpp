#include <algorithm>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/platform/machine_facts.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/proving/kept_probes.hpp>

namespace muster::proving {
namespace {

class InCache final : public probing::KeptProbes {
  public:
    explicit InCache(Verdicts verdicts) : verdicts_(std::move(verdicts)) {}

    bool found_no_native(const FleetEntry& backend) const override {
        const std::string about = subject(backend);
        return verdicts_.has(about) && verdicts_.find(about, circumstances(backend)) == no_native;
    }
    void keep(const FleetEntry& backend, const ProbeResult& found) const override {
        if (found.state != ProbeState::answered) return;
        const bool has_native =
            std::ranges::any_of(found.devices, [](const DeviceInfo& d) { return !d.software_emulated; });
        if (has_native != found_no_native(backend))
            return;  // as was kept; of a native device nothing has to be
        verdicts_.keep(subject(backend), circumstances(backend), has_native ? native : no_native);
    }

  private:
    static constexpr std::string_view native = "native", no_native = "no native device";

    static std::string subject(const FleetEntry& backend) {
        return fmt::format("probe of {} in {}", backend.id, backend.module);
    }
    std::string circumstances(const FleetEntry& backend) const {
        const std::lock_guard lock(mutex_);
        if (!facts_) facts_ = platform::machine_facts();
        return fmt::format("{}{}\n", *facts_, platform::fact_of_file(backend.module));
    }

    Verdicts verdicts_;
    mutable std::mutex mutex_;
    mutable std::optional<std::string> facts_;
};

}  // namespace

std::shared_ptr<const probing::KeptProbes> kept_probes(Verdicts verdicts) {
    return std::make_shared<const InCache>(std::move(verdicts));
}

std::shared_ptr<const probing::KeptProbes> process_kept_probes() {
    static const auto* const shared = new std::shared_ptr<const probing::KeptProbes>(
        kept_probes(Verdicts::process()));  // probes may outlive main
    return *shared;
}

}  // namespace muster::proving
