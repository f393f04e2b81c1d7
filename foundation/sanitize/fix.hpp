// fix.hpp - what to do about a finding. Internal to foundation.
#pragma once

#include <string>

#include <muster/foundation/interpreter/interpret.hpp>

namespace muster {

/// `is_sample`: workgroups were left out.
std::string fix_of(const Finding& finding, bool is_sample);

}  // namespace muster
