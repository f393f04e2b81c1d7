// local_value.hpp - what a u32 made of constants and local ids is, in one invocation of a workgroup.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/foundation/ir/program.hpp>

namespace muster {

/// None where the value depends on anything else, or is long: 64 operations are followed, those that are used twice twice.
/// `invocation`: its local_invocation_index. Threads: pure.
std::optional<std::uint32_t> local_value(const Program& program, NodeId value, std::uint32_t invocation);

}  // namespace muster
