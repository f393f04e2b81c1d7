// selection.hpp - what a policy's lists say of backends and of devices, read once. Internal to driver/.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/policy/device_selector.hpp>
#include <muster/driver/policy/policy.hpp>

namespace muster {

class Selection {
  public:
    /// Of entries that check(policy) would refuse, each is taken for the id of a backend, which nobody can have.
    explicit Selection(const Policy& policy);

    /// Whether the policy lists, or pins: a pin is a list of one.
    bool has_list() const { return listed_.has_value(); }
    bool is_pinned() const { return is_pinned_; }
    /// For people: "The policy allows cuda:1, cpu only."
    std::string said() const;
    /// Empty where there is no list.
    std::span<const DeviceSelector> listed() const;
    std::span<const DeviceSelector> excluded() const { return excluded_; }

    /// Whether an entry of the list names the backend or a device of it.
    bool names(std::string_view backend) const;
    /// As a whole.
    bool excludes(std::string_view backend) const;
    bool excludes(std::string_view backend, const DeviceInfo& device) const;
    bool allows(std::string_view backend) const;
    bool allows(std::string_view backend, const DeviceInfo& device) const;

    /// The first entry of the list that names any device of the backend, and the one that names this device.
    std::optional<std::size_t> place(std::string_view backend) const;
    std::optional<std::size_t> place(std::string_view backend, const DeviceInfo& device) const;

    /// The entries that name a device of this backend that isn't among `devices`.
    std::vector<DeviceSelector> missing(std::span<const DeviceSelector> entries, std::string_view backend,
                                        std::span<const DeviceInfo> devices) const;

  private:
    std::optional<std::vector<DeviceSelector>> listed_;
    bool is_pinned_ = false;
    std::vector<DeviceSelector> excluded_;
};

}  // namespace muster
