// check.hpp - the only way that a backend calls a native API: it names the call, translates its code, and
// lets tests plant failures.
//
//     // a backend, once:
//     template <class Call> Result<void> check(std::string_view name, Call&& call) {
//         return check_native(name, call, [](CUresult code) { return translate(code); });
//     }
//     TRY(check("cuMemAlloc", [&] { return cu.mem_alloc(&address, bytes); }));
//
//     // a test:
//     PlantedFaults faults([](auto call) { return call == "cuMemAlloc" ? out_of_memory : none; });
//
// Without a planted fault, check_native costs one relaxed load. Threads: any; one PlantedFaults at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Returns the failure to report instead of making the call; none: make the call.
using FaultPlan = std::function<std::optional<Error>(std::string_view call)>;

/// Plants faults in every check_native call of the process during its lifetime. For tests.
class PlantedFaults {
  public:
    explicit PlantedFaults(FaultPlan plan);
    ~PlantedFaults();
    PlantedFaults(const PlantedFaults&) = delete;
    PlantedFaults& operator=(const PlantedFaults&) = delete;
};

/// The planted failure of this call, if there is one.
std::optional<Error> planted_fault(std::string_view call);

/// Makes the call unless a fault is planted. `translate` maps the call's code to a
/// std::optional<Error>; none means success.
template <class Call, class Translate>
Result<void> check_native(std::string_view name, Call&& call, Translate&& translate) {
    std::optional<Error> error = planted_fault(name);
    if (!error) error = translate(call());
    if (!error) return {};
    return std::unexpected(std::move(*error).during("calling " + std::string(name)));
}

/// The meaning of a code of a native API: a row of the backend's table.
struct NativeCode {
    std::int64_t code;
    const char* name;
    ErrorCode means;
    const char* fix;
};
/// The error of a code, in `api`'s name: "CUDA says: CUDA_ERROR_NO_DEVICE." For a code without a row, the
/// error is `internal` and has the number, such as "CUDA says: CUresult 1." after `type` "CUresult".
Error native_error(std::string_view api, std::span<const NativeCode> rows, std::int64_t code,
                   std::string_view type, std::string_view fix);

/// The error of an errno value; none for 0.
std::optional<Error> errno_error(int code);

/// The door to the C library and the system: `call` returns 0 or an errno value.
template <class Call>
Result<void> check_errno(std::string_view name, Call&& call) {
    return check_native(name, std::forward<Call>(call), errno_error);
}

MUSTER_API_END
}  // namespace muster
