// selection.hpp - a policy's lists and pin, parsed once: which backends and devices they
// allow. Internal to driver/.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/policy/device_selector.hpp>
#include <muster/driver/policy/policy.hpp>

namespace muster::policy {

class Selection {
  public:
    /// Parses the policy. An entry that check(policy) would refuse becomes a backend's id
    /// that no backend can have.
    explicit Selection(const Policy& policy);

    /// True if the policy has a list or a pin, which counts as a list of one.
    bool has_list() const { return listed_.has_value(); }
    bool is_pinned() const { return is_pinned_; }
    /// A sentence for messages: "The policy allows cuda:1, cpu only."
    std::string to_string() const;
    /// The entries of the list; empty without a list.
    std::span<const DeviceSelector> listed() const;
    std::span<const DeviceSelector> excluded() const { return excluded_; }

    /// True if an entry of the list names the backend or a device of it.
    bool names(std::string_view backend) const;
    /// True if the backend is excluded with all its devices.
    bool excludes(std::string_view backend) const;
    bool excludes(std::string_view backend, const DeviceInfo& device) const;
    bool allows(std::string_view backend) const;
    bool allows(std::string_view backend, const DeviceInfo& device) const;

    /// The index of the first entry of the list that names the backend or any of its devices.
    std::optional<std::size_t> list_index(std::string_view backend) const;

    /// The place of a device in the order of preference, lower ones first: devices that are
    /// emulated in software come after all others, unless an entry of the list names the device
    /// itself, not its backend alone.
    struct Preference {
        bool is_emulated = false;
        std::size_t index = 0;  // of the list's entry; 0 without a list
        auto operator<=>(const Preference&) const = default;
    };
    /// None: the list doesn't allow the device.
    std::optional<Preference> place(std::string_view backend, const DeviceInfo& device) const;

    /// The entries of this backend that match none of `devices`.
    std::vector<DeviceSelector> missing(std::span<const DeviceSelector> entries, std::string_view backend,
                                        std::span<const DeviceInfo> devices) const;

  private:
    std::optional<std::vector<DeviceSelector>> listed_;
    bool is_pinned_ = false;
    std::vector<DeviceSelector> excluded_;
};

}  // namespace muster::policy
