// version.hpp - muster's version. The build reads it from here; records carry it, so that a backend built
// against another version is refused by name (driver/contract/records.hpp).
#pragma once

#define MUSTER_VERSION "0.1.0"

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The semantic version of the headers that this translation unit was compiled with.
inline constexpr const char version[] = MUSTER_VERSION;

MUSTER_API_END
}  // namespace muster
