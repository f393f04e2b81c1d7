// emit.hpp - a lowered kernel as something to ship: LLVM IR, assembly or an object file, with a C header beside it.
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

/// `kernel` was lowered with LowerOptions::debug. `request`: its target, options, format and symbol count. Errors:
/// invalid_argument (symbol), unsupported (format), internal, compile_failed.
Result<Emission> emit(LoweredKernel kernel, const Program& program, const Machine& machine,
                      const CompileRequest& request);

}  // namespace muster::cpu
