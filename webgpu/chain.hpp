// chain.hpp - chained structures: known ones are found, all others are errors (webgpu.h,
// "Struct-Chaining Error").
//
// Programs for Dawn chain some of its structures unconditionally. Those that can't matter to compute, its
// toggles for instance, are accepted by name, and logged.
#pragma once

#include <span>
#include <string_view>

#include <muster/foundation/base/result.hpp>
#include <muster/webgpu/header.hpp>

namespace muster::webgpu {

/// Checks that a chain has structures of `allowed` only, each once. `what`: the structure that it hangs on,
/// for messages. Errors: invalid_argument.
Result<void> check_chain(const WGPUChainedStruct* chain, std::string_view what,
                         std::span<const WGPUSType> allowed = {});

/// The structure of this type in the chain; null if it isn't there.
template <class T>
const T* find_in_chain(const WGPUChainedStruct* chain, WGPUSType type) {
    for (; chain != nullptr; chain = chain->next)
        if (chain->sType == type) return reinterpret_cast<const T*>(chain);
    return nullptr;
}
template <class T>
T* find_in_chain(WGPUChainedStruct* chain, WGPUSType type) {
    return const_cast<T*>(find_in_chain<T>(static_cast<const WGPUChainedStruct*>(chain), type));
}

}  // namespace muster::webgpu
