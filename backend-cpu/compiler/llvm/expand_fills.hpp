// expand_fills.hpp - large fills of memory become loops of vector stores: no call of memset, no thousand stores in a row.
#pragma once

#include <cstdint>

#include <llvm/IR/Module.h>

namespace muster::cpu {

/// Fills of up to this many bytes stay as they are: code generation writes them out as stores.
inline constexpr std::uint64_t largest_written_out_fill = 256;

/// llvm.memset and llvm.memset.inline of constant length above that. `vector_bytes`: of one store.
void expand_fills(llvm::Module& module, std::uint32_t vector_bytes);

}  // namespace muster::cpu
