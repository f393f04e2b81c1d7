// policy_options.hpp - a policy's settings by name, as the tool's options and the
// environment's variables call them.
//
//     Policy policy;
//     TRY(set_policy_option(policy, "backend", "cuda:1, cpu"));
//     TRY(set_policy_option(policy, "MUSTER_ON_FAILURE", "next"));      // the same as "on-failure", "--on-failure", "on_failure"
//
// For interfaces whose users write settings as text. Lists are separated by commas. A flag's value is 1, 0,
// or empty for 1. Threads: pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <muster/driver/policy/policy.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::policy {
MUSTER_API_BEGIN

/// A setting's name, as the tool's option without its dashes, and its meaning in a sentence.
struct PolicyOption {
    std::string_view name, meaning;
};
std::span<const PolicyOption> policy_options();

/// Sets what the name stands for. Errors: not_found (with the nearest names), invalid_argument (the value).
Result<void> set_policy_option(Policy& policy, std::string_view name, std::string_view value);
/// The same; the error doesn't name the option, for a caller that does.
Result<void> set_policy_option_unnamed(Policy& policy, std::string_view name, std::string_view value);

/// Parses a number of bytes: "8GiB", "512MiB", "4096". Errors: invalid_argument.
Result<std::uint64_t> parse_bytes(std::string_view text);

MUSTER_API_END
}  // namespace muster::policy
