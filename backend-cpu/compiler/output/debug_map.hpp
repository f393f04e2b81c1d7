// debug_map.hpp - from emitted code back to the program: Artifact::debug_map of each format. Pure.
//
// An entry holds from its place up to the next entry's; one without node and line says that what follows is made of no
// node. Places are lines, counted from 1, of "asm" and "llvm-ir", and byte offsets in section .text of "object".
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
