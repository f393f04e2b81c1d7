// check.hpp - this backend's door to the CUDA driver: codes are CUresult's.
//
//     TRY(check("cuInit", [&] { return table.cuInit(0); }));
//
// Calls on a context go through Context::check (context.hpp), which notices that the device is lost. Threads: any.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include <muster/backend-cuda/native/api.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cuda {

/// None for CUDA_SUCCESS. A lost device (what CUDA calls a sticky error: all later calls on the context give it too), no
/// memory, a timeout, code that the driver refuses: each a code of its own.
std::optional<Error> translate(CUresult result);

/// Result<void> of a call that returns CUDA_SUCCESS or says what is wrong.
template <class Call>
Result<void> check(std::string_view name, Call&& call) {
    return check_native(name, std::forward<Call>(call), translate);
}

}  // namespace muster::cuda
