// guard.hpp - calls a backend and turns its exceptions into Errors. Internal to driver/.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// Returns what `call` returns. A thrown exception becomes an error that names `who`: internal, or out_of_memory for
/// std::bad_alloc.
template <class Call>
auto guarded(std::string_view who, Call&& call) -> decltype(call()) {
    const auto broken = [&](std::string_view what) {
        return fail(ErrorCode::internal, std::string(who) + " throws: " + printable(what) + ".",
                    "report this to who wrote the backend: its functions return errors, they don't throw");
    };
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::out_of_memory, "The host has no memory left for " + std::string(who) + ".");
    } catch (const std::exception& thrown) {
        return broken(thrown.what());
    } catch (...) {
        return broken("something that is no std::exception");
    }
}

}  // namespace muster
