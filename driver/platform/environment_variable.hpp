// environment_variable.hpp - the one door to the process's environment: no other code reads it.
//
//     if (const auto value = environment_variable("MUSTER_LOG")) ...
//
// A process that has more rights than who started it (set-user-ID, set-group-ID, file capabilities) obeys
// none of that user's variables: each counts as unset. driver/policy/environment.hpp has what muster's own
// variables mean. Threads: any, but don't call setenv at the same time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/api.hpp>

namespace muster::platform {
MUSTER_API_BEGIN

/// The variable's value; none if it is unset, or if has_foreign_rights().
std::optional<std::string> environment_variable(std::string_view name);

/// The names of all variables that begin so, sorted; none if has_foreign_rights().
std::vector<std::string> environment_names(std::string_view prefix);

/// True if the system started this process with more rights than who started it has.
bool has_foreign_rights();

/// The environment as a new program gets it, which the system protects in turn:
/// "NAME=value" each, null at its end.
char** inherited_environment();

MUSTER_API_END
}  // namespace muster::platform
