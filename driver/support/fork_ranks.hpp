// fork_ranks.hpp - the mutexes that fork() waits for, in the order in which a thread takes several of
// them. Internal to driver/.
#pragma once

#include <muster/driver/platform/fork.hpp>

namespace muster {

inline constexpr int fork_rank_of_plugins = 0;
inline constexpr int fork_rank_of_registry = 1;
inline constexpr int fork_rank_of_policy = 2;
inline constexpr int fork_rank_of_roofs = 3;
inline constexpr int fork_rank_of_quarantine = 4;
inline constexpr int fork_rank_of_log = 5;

}  // namespace muster
