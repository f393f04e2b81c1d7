// debug_map.hpp - maps emitted code back to the program: Artifact::debug_map for each format. Pure.
//
// An entry covers the code from its position to the next entry's; an entry without node and line covers code
// that comes from no node. Positions are line numbers, from 1, in "asm" and "llvm-ir", and byte offsets in
// section .text of "object".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <llvm/IR/Module.h>

#include <muster/backend-cpu/compiler/llvm/codegen.hpp>
#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

std::vector<DebugEntry> map_assembly(const Program& program, std::string_view text);
std::vector<DebugEntry> map_object(const Program& program, const ObjectFile& object);

struct PrintedModule {
    std::string text;
    std::vector<DebugEntry> debug_map;
};
PrintedModule print_module(const Program& program, const llvm::Module& module);

}  // namespace muster::cpu
