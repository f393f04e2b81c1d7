// check.hpp - calls the CUDA driver, names the call in errors, and translates CUresult.
//
//     TRY(check("cuInit", [&] { return table.cuInit(0); }));
//
// Calls on a context use Context::check (context.hpp), which also notices a lost device. Threads: any.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include <muster/backend-cuda/native/api.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cuda {

/// None for CUDA_SUCCESS. Distinct error codes for a lost device (a sticky error in CUDA's terms: all later
/// calls on the context fail with it), lack of memory, a timeout, and code that the driver refuses.
std::optional<Error> translate(CUresult result);

/// Makes a call; an error names it and says what is wrong.
template <class Call>
Result<void> check(std::string_view name, Call&& call) {
    return check_native(name, std::forward<Call>(call), translate);
}

}  // namespace muster::cuda
