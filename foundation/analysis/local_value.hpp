// local_value.hpp - evaluates a u32 made of constants and local ids for one invocation of a workgroup.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Returns nothing if the value depends on anything else or takes more than 64 operations, each counted once
/// per use. `invocation` is the invocation's local_invocation_index. Threads: pure.
std::optional<std::uint32_t> local_value(const Program& program, NodeId value, std::uint32_t invocation);

MUSTER_API_END
}  // namespace muster
