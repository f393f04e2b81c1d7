// out_of_memory.hpp - the error that there is no memory, which takes none itself.
//
// For destructors and for threads, whose exceptions nobody catches: a text any longer might be one too much. Threads: a value.
#pragma once

#include <muster/foundation/base/result.hpp>

namespace muster {

inline Error out_of_memory() noexcept {
    return {
        ErrorCode::out_of_memory, "Out of memory.", {}, {}};  // std::string holds so few characters itself
}

}  // namespace muster
