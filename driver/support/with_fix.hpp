// with_fix.hpp - a fix for errors of foreign code, whose authors may have given none. Internal to driver/.
#pragma once

#include <string_view>

#include <muster/foundation/base/result.hpp>

namespace muster {

/// Gives an error this fix if it has none.
template <class T>
Result<T> with_fix(Result<T> result, std::string_view fix) {
    if (!result && result.error().fix.empty()) result.error().fix = fix;
    return result;
}

}  // namespace muster
