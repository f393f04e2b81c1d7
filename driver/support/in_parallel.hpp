// in_parallel.hpp - independent tasks on as many threads as there are cores. Internal to driver/ and graph/.
#pragma once

#include <cstddef>
#include <functional>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Calls task(0) to task(count - 1), each once, the first ones first. Errors: that of the first task, in
/// their order, which has one; those behind it may then not have been called.
Result<void> in_parallel(std::size_t count, const std::function<Result<void>(std::size_t)>& task);

MUSTER_API_END
}  // namespace muster
