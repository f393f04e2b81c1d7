// try.hpp - TRY(expression): yields the value of a Result, or returns its error from the enclosing function.
//
//     auto artifact = TRY(backend.emit(program, target));
//
// Only sources and internal headers include this, so that the macro doesn't leak into a user's program.
#pragma once

#include <utility>

#include <muster/foundation/base/result.hpp>

#define TRY(...)                                                                              \
    __extension__({                                                                           \
        auto muster_try_result = (__VA_ARGS__);                                               \
        if (!muster_try_result) return std::unexpected(std::move(muster_try_result).error()); \
        *std::move(muster_try_result);                                                        \
    })
