// requirements.hpp - what a policy asks of devices and targets beside their names: kind, memory, features. Internal to
// driver/.
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

namespace muster {

/// A device that is emulated in software is a CPU.
bool is_of(DeviceClass kind, const DeviceInfo& device);
/// Of a target it is known at most that it is a CPU: it is of every other class where it isn't known to be one.
bool is_of(DeviceClass kind, const Target& target);

/// The tag that keeps a backend with these tags out, named or not: one that the policy excludes, or requires and that
/// isn't there.
struct ForbiddingTag {
    std::string tag;
    bool is_excluded = false;  // else required
};
std::optional<ForbiddingTag> forbidding_tag(const Policy& policy, std::span<const std::string> tags);

class Requirements {
  public:
    /// Of features that check(policy) would refuse, each is taken for one that nothing has.
    explicit Requirements(const Policy& policy);

    /// What isn't met first; `who` is how messages call the device. Reasons: kind_not_allowed, memory_too_small,
    /// feature_missing.
    std::optional<Misfit> unmet(const DeviceInfo& device, std::string_view who) const;
    /// Memory isn't asked of a target.
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

}  // namespace muster
