// guard.hpp - turns exceptions into Errors: all of a backend's, and std::bad_alloc in what users
// call. Internal to driver/.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include <muster/foundation/base/out_of_memory.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// The error that an exception becomes, other than std::bad_alloc, which is out_of_memory.
struct ErrorOfThrown {
    ErrorCode code = ErrorCode::internal;
    std::string_view fix =
        "report this to who wrote the backend: its functions return errors, they don't throw";
};

/// Returns what `call` returns. An exception becomes an error that names `who`, even if no
/// memory is left to describe it.
template <class Call>
auto guarded(std::string_view who, Call&& call, const ErrorOfThrown& thrown = {}) noexcept
    -> decltype(call()) {
    const auto broken = [&](std::string_view what) {
        return fail(thrown.code, std::string(who) + " throws: " + printable(what) + ".",
                    std::string(thrown.fix));
    };
    try {
        try {
            return call();
        } catch (const std::bad_alloc&) {
            return fail(ErrorCode::out_of_memory, std::string(who) + " runs out of host memory.",
                        "use smaller buffers, or end other programs");
        } catch (const std::exception& exception) {
            return broken(exception.what());
        } catch (...) {
            return broken("something that isn't a std::exception");
        }
    } catch (...) {
        return std::unexpected(out_of_memory());
    }
}

/// The outcome of a call without memory, where std::bad_alloc is caught:
///     Result<Kernel> Session::prepare(...) try { ... } catch (const std::bad_alloc&) { return no_memory(); }
inline std::unexpected<Error> no_memory() { return std::unexpected(out_of_memory()); }

}  // namespace muster
