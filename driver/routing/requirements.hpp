// requirements.hpp - checks what a policy requires of devices and targets besides their names: kind, memory,
// features, tags. Internal to driver/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/policy/feature.hpp>
#include <muster/driver/policy/policy.hpp>
#include <muster/driver/routing/fit.hpp>

namespace muster::routing {

/// True if the device belongs to the class. A device that is emulated in software counts as a CPU.
bool is_of(DeviceClass kind, const DeviceInfo& device);
/// True if the target may belong to the class. All that may be known of a target is that it is a CPU; any
/// other target counts as belonging to every class but `cpu`.
bool is_of(DeviceClass kind, const Target& target);

/// The tag that forbids a backend with these tags, even if it is named: one that the policy excludes, or one
/// that it requires and the backend lacks.
struct ForbiddingTag {
    std::string tag;
    bool is_excluded = false;  // true: excluded; false: required and missing
};
std::optional<ForbiddingTag> forbidding_tag(const Policy& policy, std::span<const std::string> tags);

class Requirements {
  public:
    /// Parses the policy. A feature that check(policy) would refuse becomes one that nothing has.
    explicit Requirements(const Policy& policy);

    /// The first unmet requirement; messages call the device `who`. Reasons: kind_not_allowed,
    /// memory_too_small, feature_missing.
    std::optional<Misfit> unmet(const DeviceInfo& device, std::string_view who) const;
    /// The first requirement that a target doesn't meet; memory isn't checked.
    std::optional<Misfit> unmet(const Target& target, std::string_view who) const;

  private:
    template <class Holder>
    std::optional<Misfit> unmet_kind(const Holder& holder, std::string_view who) const;
    template <class Holder>
    std::optional<Misfit> missing_feature(const Holder& holder, std::string_view who) const;

    DeviceClass kind_;
    std::uint64_t min_memory_bytes_;
    std::vector<Feature> features_;
};

}  // namespace muster::routing
