// out_of_memory.hpp - the out-of-memory error, made without allocating.
//
// For destructors and threads, where an exception would go uncaught: a longer text might itself fail to
// allocate.
// Threads: any.
#pragma once

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

inline Error out_of_memory() noexcept {
    return {
        ErrorCode::out_of_memory, "Out of memory.", {}, {}};  // so short that std::string doesn't allocate
}

MUSTER_API_END
}  // namespace muster
