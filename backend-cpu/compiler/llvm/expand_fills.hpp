// expand_fills.hpp - turns large memory fills into loops of vector stores, not memset
// calls or long runs of stores.
#pragma once

#include <cstdint>

#include <llvm/IR/Module.h>

namespace muster::cpu {

/// Fills of up to this many bytes stay: code generation unrolls them into stores.
inline constexpr std::uint64_t largest_written_out_fill = 256;

/// Expands llvm.memset and llvm.memset.inline of larger constant length. `vector_bytes`: bytes of one store.
void expand_fills(llvm::Module& module, std::uint32_t vector_bytes);

}  // namespace muster::cpu
