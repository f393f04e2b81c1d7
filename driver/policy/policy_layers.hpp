// policy_layers.hpp - policies of several layers, merged, and who decided what.
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

namespace muster {

struct NamedPolicy {
    std::string from;  // "MUSTER_BACKEND", "the session's policy"
    Policy policy;
};

/// One thing that a policy says, and which layer says it.
struct PolicySetting {
    std::string name;               // "backends", "exclude", as Policy calls it
    std::string value;              // "cuda:1, cpu"
    std::string from;               // the layer that decided
    std::vector<std::string> over;  // the layers that say something else, and aren't heard

    /// "backends: cuda:1, cpu (from MUSTER_BACKEND, over the process default)"
    std::string to_string() const;
};

struct PolicyInForce {
    Policy policy;
    std::vector<PolicySetting> settings;  // in Policy's order; what no layer sets isn't here
};

/// The highest layer first.
PolicyInForce in_force(std::span<const NamedPolicy> layers);

}  // namespace muster
