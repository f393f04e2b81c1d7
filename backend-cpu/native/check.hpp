// check.hpp - this backend's door to its native API, the C library and the system: codes are errno values.
#pragma once

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <muster/driver/contract/check.hpp>

namespace muster::cpu {

inline std::optional<Error> translate(int code) {
    if (code == 0) return std::nullopt;
    const ErrorCode kind = code == ENOMEM ? ErrorCode::out_of_memory : ErrorCode::internal;
    return Error{kind,
                 std::string("The system says: ") + std::strerror(code) + ".",
                 code == ENOMEM ? "use less memory at once" : "",
                 {}};
}

/// Calls a function that returns 0 or an errno value, as a Result<void>.
template <class Call>
Result<void> check(std::string_view name, Call&& call) {
    return check_native(name, std::forward<Call>(call), translate);
}

}  // namespace muster::cpu
