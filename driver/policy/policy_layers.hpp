// policy_layers.hpp - merges the policies of several layers and records which layer decided each field.
//
//     const PolicyInForce both = in_force(std::array{NamedPolicy{"the session's policy", mine},
//                                                    NamedPolicy{"the process default", default_policy()}});
//     both.policy;                       // what routing obeys
//     both.settings[0].to_string();      // "backends: cuda, cpu (from the session's policy, over the process default)"
//
// Threads: values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <muster/driver/policy/policy.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

struct NamedPolicy {
    std::string from;  // "MUSTER_BACKEND", "the session's policy"
    Policy policy;
};

/// One field of a merged policy, and the layer that set it.
struct PolicySetting {
    std::string name;               // the field's name in Policy: "backends", "exclude"
    std::string value;              // "cuda:1, cpu"
    std::string from;               // the layer that decided
    std::vector<std::string> over;  // the lower layers that it overrides

    /// The text "backends: cuda:1, cpu (from MUSTER_BACKEND, over the process default)".
    std::string to_string() const;
};

struct PolicyInForce {
    Policy policy;
    std::vector<PolicySetting> settings;  // in Policy's order; without fields that no layer sets
};

/// Merges the layers, given with the highest first.
PolicyInForce in_force(std::span<const NamedPolicy> layers);

MUSTER_API_END
}  // namespace muster
