// emit.hpp - emits a lowered kernel as LLVM IR, assembly or an object file, with a C header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <muster/backend-cpu/compiler/llvm/target.hpp>
#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

struct Emission {
    std::string bytes;
    std::vector<DebugEntry> debug_map;
    std::string header_name;  // "saxpy.h"
    std::string header;
};

/// Precondition: `kernel` was lowered with LowerOptions::debug. Reads target, options, format and symbol of
/// `request`. Errors: invalid_argument (symbol), unsupported (format), internal, compile_failed.
Result<Emission> emit(LoweredKernel kernel, const Program& program, const Machine& machine,
                      const CompileRequest& request);

}  // namespace muster::cpu
