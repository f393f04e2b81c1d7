// try.hpp - TRY(expression): the value of a Result, or return its error from the enclosing function.
//
//     auto artifact = TRY(backend.emit(program, target));
//
// Included by sources and internal headers only, so that the macro doesn't leak into a user's program.
#pragma once

#include <utility>

#include <muster/foundation/base/result.hpp>

#define TRY(...)                                                                              \
    __extension__({                                                                           \
        auto muster_try_result = (__VA_ARGS__);                                               \
        if (!muster_try_result) return std::unexpected(std::move(muster_try_result).error()); \
        *std::move(muster_try_result);                                                        \
    })
